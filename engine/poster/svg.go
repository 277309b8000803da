package poster

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
)

// SVG makes a file of a drawing: the same shapes, with their colors.
func (p *Painter) SVG(drawing string, t Theme) (string, error) {
	list, title, view, err := p.elements(drawing)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="` + nums(view.x, view.y, view.w, view.h) + `" width="` + num(view.w) + `" height="` + num(view.h) + `" role="img">`)
	b.WriteString("<title>" + text(title) + "</title>")
	b.WriteString(`<rect x="` + num(view.x) + `" y="` + num(view.y) + `" width="` + num(view.w) + `" height="` + num(view.h) + `" rx="16" fill="` + t["canvas"] + `"/>`)
	for _, e := range list {
		write(&b, e, t.look(e.name, e.classes))
	}
	b.WriteString("</svg>\n")
	return b.String(), nil
}

// geometry is what is copied of each element; nothing else is.
func geometry(name string) []string {
	switch name {
	case "rect":
		return []string{"x", "y", "width", "height", "rx"}
	case "circle":
		return []string{"cx", "cy", "r"}
	case "path":
		return []string{"d"}
	default:
		return []string{"x", "y"}
	}
}

func write(b *strings.Builder, e element, look paint) {
	if look.fill == "" && look.stroke == "" {
		return
	}
	b.WriteString("<" + e.name)
	for _, name := range geometry(e.name) {
		if v, there := e.attrs[name]; there {
			attr(b, name, v)
		}
	}
	if e.at != (place{scale: 1}) {
		move := "translate(" + nums(e.at.x, e.at.y) + ")"
		if e.at.scale != 1 {
			move += " scale(" + num(e.at.scale) + ")"
		}
		attr(b, "transform", move)
	}
	look.attrs(b, e.name == "text")
	if e.name != "text" {
		b.WriteString("/>")
		return
	}
	b.WriteString(">" + text(e.text) + "</text>")
}

func (p paint) attrs(b *strings.Builder, lettering bool) {
	fill := p.fill
	if fill == "" {
		fill = "none"
	}
	attr(b, "fill", fill)
	optional := func(name string, v float64) {
		if v != 0 && v != 1 {
			attr(b, name, num(v))
		}
	}
	optional("fill-opacity", p.fillOpacity)
	optional("opacity", p.opacity)
	if p.stroke != "" {
		attr(b, "stroke", p.stroke)
		optional("stroke-width", p.width)
		optional("stroke-opacity", p.strokeOpacity)
		if len(p.dash) > 0 {
			attr(b, "stroke-dasharray", nums(p.dash...))
		}
		if p.round {
			attr(b, "stroke-linecap", "round")
			attr(b, "stroke-linejoin", "round")
		}
	}
	if lettering {
		family, weight := "Inter, system-ui, sans-serif", "400"
		switch p.font {
		case "mono":
			family = "'JetBrains Mono', ui-monospace, monospace"
		case "bold":
			weight = "600"
		}
		attr(b, "font-family", family)
		attr(b, "font-weight", weight)
		attr(b, "font-size", num(p.size))
		if p.end {
			attr(b, "text-anchor", "end")
		}
		if p.middle {
			attr(b, "text-anchor", "middle")
		}
	}
}

func attr(b *strings.Builder, name, value string) {
	b.WriteString(" " + name + `="` + text(value) + `"`)
}

func text(s string) string {
	var b strings.Builder
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		return "" // a builder takes everything
	}
	return b.String()
}

func num(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

func nums(list ...float64) string {
	out := make([]string, len(list))
	for i, f := range list {
		out[i] = num(f)
	}
	return strings.Join(out, " ")
}

// Badge is a README badge: what it is about, and how the last run ended.
func (p *Painter) Badge(label, word string, s string) string {
	t := Light()
	back := t["skip"]
	if c, known := t[s]; known {
		back = c
	}
	if s == "wait" {
		back = t["wait-ink"] // white letters need the darker one
	}
	const size, pad, height = 11.0, 8.0, 20.0
	label, word = short(label), short(word)
	a, z := p.measure(label, "bold", size)+2*pad+16, p.measure(word, "bold", size)+2*pad
	letters := func(x, w float64, s string) string {
		return fmt.Sprintf(`<text x="%s" y="14" textLength="%s" fill="#ffffff" font-family="Inter, Verdana, sans-serif" font-weight="600" font-size="11">%s</text>`, num(x), num(w), text(s))
	}
	round := func(f float64) float64 { return float64(int(f + 0.5)) }
	a, z = round(a), round(z)
	return `<svg xmlns="http://www.w3.org/2000/svg" width="` + num(a+z) + `" height="20" role="img" aria-label="` + text(label+": "+word) + `"><title>` + text(label+": "+word) + `</title>` +
		`<path d="M4 0h` + num(a-4) + `v` + num(height) + `h-` + num(a-4) + `a4 4 0 0 1-4-4V4a4 4 0 0 1 4-4z" fill="#1b1f23"/>` +
		`<path d="M` + num(a) + ` 0h` + num(z-4) + `a4 4 0 0 1 4 4v12a4 4 0 0 1-4 4h-` + num(z-4) + `z" fill="` + back + `"/>` +
		`<g fill="none" stroke="#ffffff" stroke-width="1.6" stroke-linecap="round"><path d="M12.6 14.4h5.2" opacity=".5"/><path d="M6.4 14.4h2.6c3.7 0 2.8-7 6.4-7"/></g><circle cx="16.8" cy="7.2" r="2" fill="#ffd26a"/>` +
		letters(pad+16, a-2*pad-16, label) + letters(a+pad, z-2*pad, word) + "</svg>\n"
}

// short keeps a badge small.
func short(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
