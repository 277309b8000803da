package exchange

import (
	"encoding/json"
	"strings"

	"signalbox/engine/chart"
)

// actions reads executable content.
func (im *scxmlImporter) actions(at string, n *xmlNode) []chart.Action {
	var out []chart.Action
	for _, k := range n.kids {
		switch k.name {
		case "raise":
			out = append(out, chart.Action{Raise: &chart.Raise{Event: k.attrs["event"]}})
		case "send":
			out = append(out, im.send(at, k))
		case "cancel":
			if id := k.attrs["sendid"]; id != "" {
				out = append(out, chart.Action{Cancel: id})
			} else {
				im.lose(at, "cancel", "It is left out: nothing here does what it does.")
			}
		case "log":
			source := k.attrs["expr"]
			if source == "" {
				source = "''"
			}
			out = append(out, chart.Action{Log: im.value(at, source)})
		case "assign":
			if raw, ok := im.assign(at, k); ok {
				out = append(out, chart.Action{Assign: raw})
			}
		case "sb:action":
			a := chart.Action{Do: k.attrs["name"]}
			if p := k.attrs["params"]; p != "" {
				a.Params = im.value(at, p)
			}
			out = append(out, a)
		default:
			if !knownPart(k.name) {
				im.lose(at, k.name, "It is left out: nothing here does what it does.")
			}
		}
	}
	return out
}

func knownPart(name string) bool { return name == "param" || name == "content" || name == "transition" }

func (im *scxmlImporter) send(at string, k *xmlNode) chart.Action {
	event, data := k.attrs["event"], im.content(at, k)
	if e := k.attrs["eventexpr"]; e != "" {
		event = strings.Trim(e, `'"`)
		if event == e {
			im.lose(at, "eventexpr", "“"+clipText(e, 160)+"” is not translated: the name of an event is a constant here.")
		}
	}
	if target := k.attrs["target"]; target != "" && target != "#_internal" {
		return chart.Action{Send: &chart.Send{To: strings.TrimPrefix(target, "#_"), Event: event, Data: data}}
	}
	r := chart.Raise{Event: event, Data: data, ID: k.attrs["id"]}
	if text := k.attrs["delay"]; text != "" {
		delay, ok := scxmlDelay(text)
		if !ok {
			im.lose(at, "delay", "“"+clipText(text, 80)+"” is no length of time here; there is no delay.")
		} else if delay != "0" {
			r.Delay = delay
		}
	}
	if source := k.attrs["delayexpr"]; source != "" {
		var text string
		if raw := im.value(at, source); json.Unmarshal(raw, &text) == nil && text != "" {
			r.Delay = text
			if delay, ok := scxmlDelay(text); ok {
				r.Delay = delay
			}
		}
	}
	return chart.Action{Raise: &r}
}

// assign reads <assign>: a datum, or a field of one.
func (im *scxmlImporter) assign(at string, k *xmlNode) (json.RawMessage, bool) {
	location, source := strings.TrimSpace(k.attrs["location"]), k.attrs["expr"]
	if source == "" {
		source = strings.TrimSpace(k.text.String())
	}
	if im.whole && location == "context" {
		if f, err := parseFormula(source); err == nil && f.op == "call" && len(f.kids) == 4 && f.kids[0].op == "field" && f.kids[0].text == "assign" {
			return im.tree(f.kids[3]) // Object.assign({}, context, …), as we write it
		}
	}
	name, rest, deep := strings.Cut(location, ".")
	if im.whole && name == "context" && deep {
		name, rest, deep = strings.Cut(rest, ".")
	}
	if deep || !im.whole && !im.data[name] || name == "" {
		im.lose(at, "assign", "“"+clipText(location+" "+rest, 80)+"” is no field of the context; nothing is set.")
		return nil, false
	}
	raw, err := plainJSON(map[string]json.RawMessage{name: im.value(at, source)})
	return raw, err == nil
}
