package guard

import (
	"net/netip"
	"net/url"
	"strings"
)

// Public reports whether an address belongs to the public Internet. A mapped
// IPv4 address is judged as what it maps.
func Public(a netip.Addr) bool {
	if !a.IsValid() || a.Zone() != "" {
		return false
	}
	a = a.Unmap()
	if a.Is6() && !global6.Contains(a) {
		return false
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

func judgePublic(a netip.Addr) error {
	if !Public(a) {
		return refuse("the address %s is not allowed: it is not public", a)
	}
	return nil
}

// judgeLoopback allows this machine only.
func judgeLoopback(a netip.Addr) error {
	if !a.Unmap().IsLoopback() {
		return refuse("the address %s is not allowed: it is not this machine", a)
	}
	return nil
}

// judgePrivate allows this machine and private networks, but neither link-local
// addresses nor those that answer with a machine's own secrets.
func judgePrivate(a netip.Addr) error {
	if a = a.Unmap(); !a.IsLoopback() && !a.IsPrivate() {
		return refuse("the address %s is not allowed: it is neither this machine nor in a private network", a)
	}
	return nil
}

// global6 is the part of IPv6 that is handed out; translated, mapped, local
// and multicast addresses all lie outside.
var global6 = netip.MustParsePrefix("2000::/3") //nolint:gochecknoglobals // a constant in all but name

// special lists what IANA sets apart (RFC 6890 and its registries), and
// addresses that answer with a machine's own secrets.
var special = prefixes( //nolint:gochecknoglobals // a constant in all but name
	"0.0.0.0/8",         // this network
	"10.0.0.0/8",        // private
	"100.64.0.0/10",     // shared by carriers
	"127.0.0.0/8",       // loopback
	"168.63.129.16/32",  // a cloud's agent
	"169.254.0.0/16",    // link-local, metadata
	"172.16.0.0/12",     // private
	"192.0.0.0/24",      // protocol assignments
	"192.0.2.0/24",      // documentation
	"192.31.196.0/24",   // AS112
	"192.52.193.0/24",   // AMT
	"192.88.99.0/24",    // 6to4 relays
	"192.168.0.0/16",    // private
	"192.175.48.0/24",   // AS112
	"198.18.0.0/15",     // benchmarks
	"198.51.100.0/24",   // documentation
	"203.0.113.0/24",    // documentation
	"224.0.0.0/4",       // multicast
	"240.0.0.0/4",       // reserved, broadcast
	"2001::/23",         // protocol assignments: Teredo, ORCHID, benchmarks
	"2001:db8::/32",     // documentation
	"2002::/16",         // 6to4
	"2620:4f:8000::/48", // AS112
	"3fff::/20",         // documentation
)

func prefixes(list ...string) []netip.Prefix {
	out := make([]netip.Prefix, len(list))
	for i, s := range list {
		out[i] = netip.MustParsePrefix(s)
	}
	return out
}

// judgeHost refuses early, and by name, what the judgment of the connection
// would refuse too, and what some resolvers take for an address: 0x7f.1,
// 2130706433, 127.1, 0177.0.0.1.
func judgeHost(u *url.URL, judge func(netip.Addr) error) error {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if a, err := netip.ParseAddr(host); err == nil {
		return judge(a)
	}
	if strings.ContainsAny(host, "%:[]") {
		return refuse("the host %.80q is not allowed", host)
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" || numeric(last) {
		return refuse("the host %.80q is not allowed: it is neither a name nor an address", host)
	}
	if host == "localhost" || last == "localhost" || last == "local" || last == "internal" {
		return refuse("the host %.80q is not allowed: it is not public", host)
	}
	return nil
}

// numeric reports whether a label reads as a number, as in 127.1 or 0x7f.
func numeric(label string) bool {
	if rest, ok := strings.CutPrefix(label, "0x"); ok {
		return strings.Trim(rest, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}
