package exchange

import (
	"errors"
	"fmt"
)

// script reads the code of a Code or Function node, when it does no more than
// name values and return one: then it is an expression.
func (r *reader) script(p params) map[string]any {
	source := p.at("jsCode").or(p.at("functionCode").text())
	if p.at("language").or("javaScript") != "javaScript" {
		return r.keptScript(p, errors.New("it is not JavaScript"))
	}
	r.became("transform", "success")
	config, err := r.statements(source)
	if err != nil {
		return r.keptScript(p, err)
	}
	return config
}

// keptScript hands the code to a worker of one's own.
func (r *reader) keptScript(p params, why error) map[string]any {
	r.became("external", "success")
	r.p.lack("Its code is no single expression: %s. The code is kept in an External task, which waits for a worker of yours.", why.Error())
	code := p.at("jsCode").or(p.at("functionCode").or(p.at("pythonCode").text()))
	return map[string]any{"type": taskType(r.p.short()), "input": map[string]any{"input": "=input", "code": constantText(clipText(code, 60_000))}}
}

// statements reads constants, a loop over all items that sets fields, and what
// is returned.
func (r *reader) statements(source string) (map[string]any, error) {
	p, err := newFormulaParser(source)
	if err != nil {
		return nil, err
	}
	var consts []constant
	fields := map[string]any{}
	for {
		switch {
		case p.take(";"):
		case p.word("const"), p.word("let"), p.word("var"):
			c, err := r.constant(p)
			if err != nil {
				return nil, err
			}
			consts = append(consts, c)
			r.w.names = append(r.w.names, c.name)
		case p.word("for"):
			if err := r.everyItem(p, fields); err != nil {
				return nil, err
			}
		case p.word("return"):
			p.pos++
			return r.returned(p, consts, fields)
		default:
			return nil, fmt.Errorf("“%s” begins a statement that has no form here", p.now().text)
		}
	}
}

// constant is a value with a name.
type constant struct {
	name string
	is   term
}

func (r *reader) constant(p *formulaParser) (constant, error) {
	p.pos++
	name := p.now()
	if name.is != 'i' || !goodName(name.text) {
		return constant{}, fmt.Errorf("“%s” cannot be a name here", name.text)
	}
	p.pos++
	if err := p.want("="); err != nil {
		return constant{}, err
	}
	f, err := p.whole()
	if err != nil {
		return constant{}, err
	}
	t, err := r.w.write(f)
	return constant{name.text, t}, err
}

// everyItem reads "for (const item of $input.all()) { item.json.x = …; }".
func (r *reader) everyItem(p *formulaParser, fields map[string]any) error {
	strange := errors.New("a loop of this sort has no form here")
	p.pos++
	if err := p.want("("); err != nil {
		return err
	}
	if !p.word("const") && !p.word("let") {
		return strange
	}
	p.pos++
	if !p.word("item") {
		return strange
	}
	p.pos++
	if !p.word("of") {
		return strange
	}
	p.pos++
	over, err := p.whole()
	if err != nil || !r.allItems(over) {
		return strange
	}
	if err := p.want(")"); err != nil {
		return err
	}
	if err := p.want("{"); err != nil {
		return err
	}
	for !p.take("}") {
		if p.take(";") {
			continue
		}
		target, err := p.unary()
		if err != nil {
			return err
		}
		if target.op != "field" || target.kids[0].op != "field" || target.kids[0].text != "json" || !named(target.kids[0].kids[0], "item") || !p.take("=") {
			return strange
		}
		f, err := p.whole()
		if err != nil {
			return err
		}
		t, err := r.w.write(f)
		if err != nil {
			return err
		}
		fields[target.text] = "=" + t.code
	}
	return nil
}

// allItems reports whether an expression is all that came.
func (r *reader) allItems(f *formula) bool {
	return named(f, "items") || method(f, "$input", "all") || named(f, "item") || f.op == "field" && f.text == "item" && named(f.kids[0], "$input")
}

// returned reads what a script gives.
func (r *reader) returned(p *formulaParser, consts []constant, fields map[string]any) (map[string]any, error) {
	f, err := p.whole()
	if err != nil {
		return nil, err
	}
	for p.take(";") {
	}
	if p.now().is != 'e' {
		return nil, fmt.Errorf("“%s” stands behind what it returns", p.now().text)
	}
	if r.allItems(f) {
		if len(fields) == 0 {
			return map[string]any{"expression": "input"}, nil
		}
		if len(consts) > 0 {
			return nil, errors.New("constants and a loop together have no form here")
		}
		r.p.node.Kind = "set"
		return map[string]any{"fields": fields, "keep": true}, nil
	}
	if len(fields) > 0 {
		return nil, errors.New("a loop whose items are not returned has no form here")
	}
	if f.op == "list" && len(f.kids) == 1 {
		f = f.kids[0]
	} else if f.op == "list" {
		return nil, errors.New("it makes several items")
	}
	if f.op == "object" && len(f.kids) == 2 && f.kids[0].text == "json" {
		f = f.kids[1]
	}
	t, err := r.w.write(f)
	if err != nil {
		return nil, err
	}
	code := t.code
	for i := len(consts) - 1; i >= 0; i-- {
		code = "cel.bind(" + consts[i].name + ", " + consts[i].is.code + ", " + code + ")"
	}
	if _, err := r.w.checkedCode(code); err != nil {
		return nil, err
	}
	return map[string]any{"expression": code}, nil
}
