package kind

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// portRule is what the name of a port looks like.
var portRule = regexp.MustCompile(`^[a-z][a-z0-9_]{0,39}$`)

// PortsFor lists the ports of a node with the configuration, in drawing order:
// those made from it first. A name that stands twice is one port.
func (s Spec) PortsFor(config json.RawMessage) []Port {
	if s.PortsOf == nil {
		return append([]Port{}, s.Ports...)
	}
	taken := s.taken()
	var ports []Port
	v, _ := read(config)
	m, _ := v.(map[string]any)
	for _, from := range append([]PortsOf{*s.PortsOf}, s.MorePorts...) {
		for _, fields := range below(m, strings.Split(from.Field, ".")) {
			if name, _ := fields[from.Name].(string); name != "" && !taken[name] {
				taken[name] = true
				ports = append(ports, Port{Name: name, Title: name, Optional: len(s.MorePorts) > 0})
			}
		}
	}
	return append(ports, s.Ports...)
}

// below lists the objects in the arrays that a way of names leads to:
// invoke.done are the entries of done of every entry of invoke.
func below(m map[string]any, way []string) []map[string]any {
	if len(way) == 0 {
		return []map[string]any{m}
	}
	var all []map[string]any
	items, _ := m[way[0]].([]any)
	for _, item := range items {
		fields, _ := item.(map[string]any)
		all = append(all, below(fields, way[1:])...)
	}
	return all
}

// taken holds the names of the ports that are always there.
func (s Spec) taken() map[string]bool {
	names := map[string]bool{}
	for _, p := range s.Ports {
		names[p.Name] = true
	}
	return names
}

// ports checks the names of ports that the configuration makes.
func (c *checker) ports(s Spec, m map[string]any) {
	items, _ := m[s.PortsOf.Field].([]any)
	always, seen := s.taken(), map[string]bool{}
	for i, item := range items {
		fields, _ := item.(map[string]any)
		name, _ := fields[s.PortsOf.Name].(string)
		at := "/" + s.PortsOf.Field + "/" + strconv.Itoa(i) + "/" + s.PortsOf.Name
		switch {
		case name == "": // missing: said already
		case !portRule.MatchString(name):
			c.add(at, "small letters, digits and _, a letter first, at most 40", "A way cannot be called %s.", quote(name))
		case always[name]:
			c.add(at, "another name", "The way %s is there already.", quote(name))
		case seen[name]:
			c.add(at, "a name of its own", "Two ways are called %s.", quote(name))
		}
		seen[name] = true
	}
}
