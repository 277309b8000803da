package poster

import "slices"

// paint is how one element looks. Empty colors are none.
type paint struct {
	fill, stroke  string
	width         float64 // of the stroke
	dash          []float64
	round         bool // ends and corners of the stroke
	opacity       float64
	fillOpacity   float64 // zero: whole
	strokeOpacity float64 // zero: whole
	size          float64 // of a text
	font          string  // bold, mono; empty: ui
	end           bool    // a text that ends where it stands
	middle        bool    // a text that stands around its place
}

// classes are those of an element and of the groups around it.
type classes struct{ own, around []string }

func (c classes) is(name string) bool   { return slices.Contains(c.own, name) }
func (c classes) near(name string) bool { return slices.Contains(c.around, name) }

// state finds the first of the states that the groups around name.
func (c classes) state() string {
	for _, s := range []string{"run", "ok", "fail", "wait", "skip", "cancel"} {
		if c.near("st-" + s) {
			return s
		}
	}
	return ""
}

func tileOf(list []string) string {
	for _, t := range []string{"trigger", "http", "logic", "ai", "queue", "saga", "human", "data"} {
		if slices.Contains(list, "t-"+t) {
			return t
		}
	}
	return "logic"
}

// look is the style sheet web/style/picture.css in Go.
func (t Theme) look(element string, c classes) paint {
	p := paint{opacity: 1}
	if c.near("off") {
		p.opacity = 0.5
	} else if c.state() == "skip" {
		p.opacity = 0.6
	}
	switch {
	case element == "text":
		t.lettering(&p, c)
	case c.is("e"), c.is("ah"):
		t.wire(&p, c)
	case c.is("box"), c.is("halo"), c.is("field"), c.is("rule"), c.is("p"):
		t.frame(&p, c)
	case c.is("disc"), c.is("sign"):
		t.glyph(&p, c)
	default:
		t.rest(&p, c)
	}
	return p
}

func (t Theme) lettering(p *paint, c classes) {
	p.fill, p.size = t["ink"], 13
	switch {
	case c.is("title"):
		p.font = "bold"
	case c.is("sub"):
		p.font, p.size, p.fill = "mono", 11, t["ink-3"]
	case c.is("when"):
		p.font, p.size, p.fill = "mono", 11, t["ink-2"]
	case c.is("port"):
		p.font, p.size, p.end = "bold", 11.5, true
	case c.is("foot"):
		p.size, p.fill = 11, t["ink-3"]
	case c.near("pill"):
		p.font, p.size, p.fill, p.middle = "bold", 11, t["ink-2"], true
	case c.is("note"):
		p.size, p.fill = 12, t["ink-2"]
	}
}

func (t Theme) wire(p *paint, c classes) {
	ink := t["edge"]
	switch {
	case c.is("ok"):
		ink = mix(t["ok"], 0.65, t["edge"])
	case c.is("run"):
		ink = t["run"]
	case c.is("fail"):
		ink = t["fail"]
	case c.is("skip"):
		p.opacity *= 0.5
	}
	if c.is("undo") {
		ink = t["c-saga"]
	}
	if c.is("ah") {
		p.fill = ink
		return
	}
	p.stroke, p.width = ink, 2
	switch {
	case c.is("undo"):
		p.dash = []float64{6, 5}
	case c.is("skip"):
		p.dash = []float64{4, 5}
	}
}

func (t Theme) frame(p *paint, c classes) {
	state := c.state()
	switch {
	case c.is("rule"):
		p.stroke, p.width = t["line"], 1
	case c.is("p"):
		p.fill, p.stroke, p.width = t["surface"], t["edge"], 2
		if c.is("bad") {
			p.stroke = t["fail"]
		}
	case c.is("halo"):
		if state == "run" {
			p.fill, p.fillOpacity = t["run"], 0.18
		}
	case c.is("field"):
		ink := t["c-"+tileOf(c.around)]
		if slices.Contains([]string{"run", "ok", "fail", "wait"}, state) {
			ink = t[state]
		}
		p.fill, p.fillOpacity, p.stroke, p.strokeOpacity = ink, 0.06, ink, 0.7
		p.width, p.dash = 1.25, []float64{5, 4}
	default: // box
		p.fill, p.stroke, p.width = t["surface"], t["line-2"], 1
		switch state {
		case "ok":
			p.stroke = mix(t["ok"], 0.55, t["line-2"])
		case "fail", "run":
			p.stroke, p.width = t[state], 2
		case "wait":
			p.stroke, p.width = t["wait"], 1.5
		case "skip":
			p.dash = []float64{4, 4}
		}
		if c.near("off") {
			p.dash = []float64{4, 4}
		}
	}
}

func (t Theme) glyph(p *paint, c classes) {
	state := c.state()
	if c.is("sign") {
		p.stroke, p.width, p.round = t["on-status"], 2.2, true
		switch state {
		case "fail":
			p.stroke = t["on-fail"]
		case "run":
			p.stroke, p.width = t["run"], 3
		case "skip", "cancel":
			p.stroke = t["skip"]
		}
		return
	}
	switch state {
	case "ok", "fail", "wait":
		p.fill = t[state]
	case "run":
		p.stroke, p.strokeOpacity, p.width = t["run"], 0.25, 3
	case "skip", "cancel":
		p.stroke, p.width = t["skip"], 1.5
		if state == "skip" {
			p.dash = []float64{3, 2.5}
		}
	}
}

func (t Theme) rest(p *paint, c classes) {
	switch {
	case c.is("pt"):
		p.fill = t["c-"+tileOf(c.own)+"-s"]
	case c.is("pi"), c.near("pi"):
		p.stroke, p.width, p.round = t["c-"+tileOf(append(c.own, c.around...))], 1.75, true
	case c.is("bar"):
		p.fill = t["line-2"]
		if c.is("title") {
			p.fill = mix(t["ink"], 0.62, t["surface"])
		} else if c.is("port") {
			p.fill = mix(t["ink-3"], 0.7, t["surface"])
		}
	case c.near("pill"):
		p.fill, p.stroke, p.width = t["canvas"], t["line-2"], 1
	case c.is("undo-disc"):
		p.fill, p.stroke, p.width = t["canvas"], t["c-saga"], 1
	case c.is("undo-sign"):
		p.stroke, p.width, p.round = t["c-saga"], 1.5, true
	case c.is("nothing"):
		p.stroke, p.width, p.dash = t["control"], 1, []float64{6, 7}
	case c.is("plus"):
		p.stroke, p.width, p.round = t["control"], 3, true
	case c.near("pn"):
		p.fill, p.stroke, p.width = t["wait-soft"], mix(t["wait"], 0.4, t["line"]), 1
	}
}
