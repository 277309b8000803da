package exchange

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of an expression of JavaScript that is read.
const (
	formulaMax      = 20_000 // bytes
	formulaDepthMax = 40     // brackets and operators in each other
)

// formula is an expression of JavaScript, as a tree. What a node holds depends
// on op: the text of a name, the parts of an operator.
type formula struct {
	op   string // number, text, name, field, maybe (?.), index, call, list, object, arrow, template, ?:, !, neg, or the sign of an operator
	text string
	kids []*formula
}

// mark is a word of JavaScript.
type mark struct {
	is   byte // n number, s text, i name, p sign, t template, e end
	text string
	at   int
}

// parseFormula reads one expression and nothing behind it.
func parseFormula(src string) (*formula, error) {
	p, err := newFormulaParser(src)
	if err != nil {
		return nil, err
	}
	f, err := p.whole()
	if err != nil {
		return nil, err
	}
	if p.now().is != 'e' {
		return nil, fmt.Errorf("“%s” does not fit there", p.now().text)
	}
	return f, nil
}

type formulaParser struct {
	marks []mark
	pos   int
	depth int
}

func newFormulaParser(src string) (*formulaParser, error) {
	if len(src) > formulaMax {
		return nil, fmt.Errorf("it is longer than %d bytes", formulaMax)
	}
	marks, err := marksOf(src)
	return &formulaParser{marks: marks}, err
}

// marksOf cuts a text into words.
func marksOf(src string) ([]mark, error) {
	var out []mark
	for i := 0; i < len(src); {
		c := src[i]
		switch {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			i++
		case strings.HasPrefix(src[i:], "//"):
			i = after(src, i, "\n")
		case strings.HasPrefix(src[i:], "/*"):
			i = after(src, i+2, "*/")
		case c >= '0' && c <= '9':
			end := i
			for end < len(src) && (wordByte(src[end]) || src[end] == '.') {
				end++
			}
			out = append(out, mark{'n', src[i:end], i})
			i = end
		case c == '"' || c == '\'' || c == '`':
			text, end, err := quoted(src, i)
			if err != nil {
				return nil, err
			}
			is := byte('s')
			if c == '`' {
				is = 't'
			}
			out = append(out, mark{is, text, i})
			i = end
		case wordByte(c):
			end := i
			for end < len(src) && wordByte(src[end]) {
				end++
			}
			out = append(out, mark{'i', src[i:end], i})
			i = end
		default:
			sign := signAt(src[i:])
			out = append(out, mark{'p', sign, i})
			i += len(sign)
		}
	}
	return append(out, mark{'e', "the end", len(src)}), nil
}

func after(src string, from int, end string) int {
	at := strings.Index(src[from:], end)
	if at < 0 {
		return len(src)
	}
	return from + at + len(end)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '$' || c >= 0x80
}

// signAt is the longest sign that the text begins with.
func signAt(s string) string {
	for _, sign := range []string{"===", "!==", "...", "=>", "==", "!=", "<=", ">=", "&&", "||", "??", "?.", "++", "--", "+=", "-=", "**"} {
		if strings.HasPrefix(s, sign) && (sign != "?." || len(s) < 3 || s[2] < '0' || s[2] > '9') {
			return sign
		}
	}
	_, size := utf8.DecodeRuneInString(s)
	return s[:size]
}

// quoted reads a text; of a template it gives what stands between the marks,
// as it is.
func quoted(src string, from int) (string, int, error) {
	quote := src[from]
	var b strings.Builder
	for i := from + 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == quote:
			return b.String(), i + 1, nil
		case c == '\\' && i+1 < len(src):
			i++
			if quote == '`' {
				b.WriteByte('\\')
				b.WriteByte(src[i])
				continue
			}
			b.WriteString(unescaped(src, &i))
		default:
			b.WriteByte(c)
		}
	}
	return "", 0, errors.New("a text in it has no end")
}

// unescaped is what stands for a backslash and what follows it.
func unescaped(src string, i *int) string {
	switch c := src[*i]; c {
	case 'n':
		return "\n"
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'u':
		var r rune
		if *i+4 < len(src) {
			if _, err := fmt.Sscanf(src[*i+1:*i+5], "%04x", &r); err == nil && utf8.ValidRune(r) {
				*i += 4
				return string(r)
			}
		}
		return "u"
	case '\n':
		return ""
	default:
		return string(c)
	}
}

func (p *formulaParser) now() mark { return p.marks[p.pos] }

func (p *formulaParser) is(sign string) bool {
	return p.now().is == 'p' && p.now().text == sign
}

func (p *formulaParser) word(name string) bool {
	return p.now().is == 'i' && p.now().text == name
}

// take goes on when the sign is there.
func (p *formulaParser) take(sign string) bool {
	if !p.is(sign) {
		return false
	}
	p.pos++
	return true
}

func (p *formulaParser) want(sign string) error {
	if !p.take(sign) {
		return fmt.Errorf("“%s” is missing before “%s”", sign, p.now().text)
	}
	return nil
}

// whole reads an expression.
func (p *formulaParser) whole() (*formula, error) {
	if p.depth++; p.depth > formulaDepthMax {
		return nil, fmt.Errorf("it is nested deeper than %d levels", formulaDepthMax)
	}
	defer func() { p.depth-- }()
	if f, ok, err := p.arrow(); ok || err != nil {
		return f, err
	}
	f, err := p.binary(0)
	if err != nil || !p.take("?") {
		return f, err
	}
	yes, err := p.whole()
	if err != nil {
		return nil, err
	}
	if err := p.want(":"); err != nil {
		return nil, err
	}
	no, err := p.whole()
	return &formula{op: "?:", kids: []*formula{f, yes, no}}, err
}

// arrow reads "x => …" and "(x) => …".
func (p *formulaParser) arrow() (*formula, bool, error) {
	at := func(i int) mark { return p.marks[min(p.pos+i, len(p.marks)-1)] }
	var name string
	var length int
	switch {
	case at(0).is == 'i' && at(1).text == "=>" && at(1).is == 'p':
		name, length = at(0).text, 2
	case at(0).text == "(" && at(1).is == 'i' && at(2).text == ")" && at(3).text == "=>" && at(3).is == 'p':
		name, length = at(1).text, 4
	default:
		return nil, false, nil
	}
	p.pos += length
	if p.is("{") {
		return nil, true, errors.New("a function with statements has no form here")
	}
	body, err := p.whole()
	return &formula{op: "arrow", text: name, kids: []*formula{body}}, true, err
}

// strength of the operators between two values, the weakest first.
func strength(sign string) int {
	switch sign {
	case "??", "||":
		return 1
	case "&&":
		return 2
	case "==", "!=", "===", "!==":
		return 3
	case "<", "<=", ">", ">=":
		return 4
	case "+", "-":
		return 5
	case "*", "/", "%":
		return 6
	}
	return 0
}

func (p *formulaParser) binary(least int) (*formula, error) {
	left, err := p.unary()
	for err == nil && p.now().is == 'p' {
		sign := p.now().text
		s := strength(sign)
		if s == 0 || s <= least {
			break
		}
		p.pos++
		var right *formula
		if right, err = p.binary(s); err == nil {
			left = &formula{op: sign, kids: []*formula{left, right}}
		}
	}
	return left, err
}

func (p *formulaParser) unary() (*formula, error) {
	if p.depth++; p.depth > formulaDepthMax {
		return nil, fmt.Errorf("it is nested deeper than %d levels", formulaDepthMax)
	}
	defer func() { p.depth-- }()
	for _, sign := range [][2]string{{"!", "!"}, {"-", "neg"}, {"+", "plus"}} {
		if p.take(sign[0]) {
			f, err := p.unary()
			return &formula{op: sign[1], kids: []*formula{f}}, err
		}
	}
	f, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.chain(f)
}

// chain reads fields, places and calls behind a value.
func (p *formulaParser) chain(f *formula) (*formula, error) {
	for range formulaMax {
		switch {
		case p.take("."), p.is("?."):
			op := "field"
			if p.take("?.") {
				op = "maybe"
			}
			if p.now().is != 'i' {
				return nil, fmt.Errorf("the name of a field is missing before “%s”", p.now().text)
			}
			f = &formula{op: op, text: p.now().text, kids: []*formula{f}}
			p.pos++
		case p.take("["):
			at, err := p.whole()
			if err != nil {
				return nil, err
			}
			if err := p.want("]"); err != nil {
				return nil, err
			}
			if at.op == "text" {
				f = &formula{op: "field", text: at.text, kids: []*formula{f}}
			} else {
				f = &formula{op: "index", kids: []*formula{f, at}}
			}
		case p.take("("):
			args, err := p.list(")")
			if err != nil {
				return nil, err
			}
			f = &formula{op: "call", kids: append([]*formula{f}, args...)}
		default:
			return f, nil
		}
	}
	return f, nil
}

func (p *formulaParser) list(end string) ([]*formula, error) {
	var out []*formula
	for !p.take(end) {
		if p.is("...") {
			return nil, errors.New("“...” has no form here")
		}
		f, err := p.whole()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
		if !p.take(",") && !p.is(end) {
			return nil, fmt.Errorf("“%s” is missing before “%s”", end, p.now().text)
		}
	}
	return out, nil
}

func (p *formulaParser) primary() (*formula, error) {
	m := p.now()
	p.pos = min(p.pos+1, len(p.marks)-1)
	switch {
	case m.is == 'n':
		return &formula{op: "number", text: m.text}, nil
	case m.is == 's':
		return &formula{op: "text", text: m.text}, nil
	case m.is == 't':
		return templateFormula(m.text, p.depth)
	case m.is == 'i':
		for _, word := range []string{"new", "function", "typeof", "await", "async", "class", "delete", "instanceof", "void"} {
			if m.text == word {
				return nil, fmt.Errorf("“%s” has no form here", word)
			}
		}
		return &formula{op: "name", text: m.text}, nil
	case m.text == "(":
		f, err := p.whole()
		if err != nil {
			return nil, err
		}
		return f, p.want(")")
	case m.text == "[":
		kids, err := p.list("]")
		return &formula{op: "list", kids: kids}, err
	case m.text == "{":
		return p.object()
	case m.text == "/":
		return nil, errors.New("a pattern between slashes has no form here")
	}
	return nil, fmt.Errorf("“%s” does not fit there", m.text)
}

// object reads the inside of { }: kids are names (texts) and values in turn.
func (p *formulaParser) object() (*formula, error) {
	f := &formula{op: "object"}
	for !p.take("}") {
		name := p.now()
		if name.is != 'i' && name.is != 's' && name.is != 'n' {
			return nil, fmt.Errorf("“%s” has no form here", name.text)
		}
		p.pos++
		value := &formula{op: "name", text: name.text} // {a} is {a: a}
		if p.take(":") {
			var err error
			if value, err = p.whole(); err != nil {
				return nil, err
			}
		} else if name.is != 'i' {
			return nil, fmt.Errorf("“:” is missing before “%s”", p.now().text)
		}
		f.kids = append(f.kids, &formula{op: "text", text: name.text}, value)
		if !p.take(",") && !p.is("}") {
			return nil, fmt.Errorf("“}” is missing before “%s”", p.now().text)
		}
	}
	return f, nil
}

// templateFormula reads what stands between backquotes.
func templateFormula(raw string, depth int) (*formula, error) {
	f := &formula{op: "template"}
	for {
		at := strings.Index(raw, "${")
		if at < 0 {
			break
		}
		end := strings.Index(raw[at:], "}")
		if end < 0 {
			return nil, errors.New("a “${” in it has no end")
		}
		part, err := newFormulaParser(raw[at+2 : at+end])
		if err != nil {
			return nil, err
		}
		part.depth = depth + 1
		inner, err := part.whole()
		if err != nil {
			return nil, err
		}
		if part.now().is != 'e' {
			return nil, fmt.Errorf("“%s” does not fit there", part.now().text)
		}
		f.kids = append(f.kids, plainText(raw[:at]), inner)
		raw = raw[at+end+1:]
	}
	f.kids = append(f.kids, plainText(raw))
	return f, nil
}

func plainText(raw string) *formula {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] == '\\' && i+1 < len(raw) {
			i++
			b.WriteString(unescaped(raw, &i))
			continue
		}
		b.WriteByte(raw[i])
	}
	return &formula{op: "text", text: b.String()}
}
