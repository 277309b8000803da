package expr

import (
	"strings"
)

// piece is a part of a template: text, or an expression.
type piece struct {
	text    string
	program *Program
}

// template cuts a text at {{ and }}; brackets and quotes inside an expression
// do not end it. {{ "{{" }} writes two braces.
func (p *treeParser) template(s, at string) node {
	var n node
	for pos := 0; pos < len(s); {
		open := strings.Index(s[pos:], "{{")
		if open < 0 {
			n.template = append(n.template, piece{text: s[pos:]})
			break
		}
		if open > 0 {
			n.template = append(n.template, piece{text: s[pos : pos+open]})
		}
		start := pos + open + 2
		end := closing(s[start:])
		if end < 0 {
			f := Fault{Message: "This {{ has no }}.", Offset: start - 2}
			_, f.Line, f.Column = place(s, len([]rune(s[:start-2])))
			p.faults = append(p.faults, TreeFault{at, f})
			return node{}
		}
		n.template = append(n.template, piece{program: p.parse(s, at, start, start+end)})
		pos = start + end + 2
	}
	return n
}

// closing finds the }} that ends an expression.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\'':
			i += quoted(s, i) - 1
		case c == '{':
			depth++
		case c == '}' && depth > 0:
			depth--
		case c == '}' && strings.HasPrefix(s[i:], "}}"):
			return i
		}
	}
	return -1
}

// fill writes a template: texts as they are, null as nothing, all else as
// JSON.
func (e *evaluation) fill(pieces []piece) (any, error) {
	var b strings.Builder
	for _, p := range pieces {
		s := p.text
		if p.program != nil {
			v, err := e.program(p.program)
			if err != nil {
				return nil, err
			}
			if s, err = textOf(v); err != nil {
				return nil, err
			}
		}
		if b.WriteString(s); b.Len() > TextMax {
			return nil, &Failure{Class: "limit", Message: textTooLong}
		}
	}
	return b.String(), nil
}
