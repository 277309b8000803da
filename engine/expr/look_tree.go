package expr

import (
	"signalbox/engine/shape"
)

// PartLook is what is told of one expression of a configuration.
type PartLook struct {
	Part

	Look  Look
	Whole bool // the expression gives the value of its place; else it is a part of a text
}

// Look tells what a configuration becomes, and of each of its expressions what
// it reads and misses.
func (t *Tree) Look(shapes func(name string) shape.Shape) (shape.Shape, []PartLook) {
	w := treeLooker{tree: t, shapes: shapes}
	return w.node(&t.root), w.parts
}

type treeLooker struct {
	tree   *Tree
	shapes func(name string) shape.Shape
	parts  []PartLook
}

// program looks at the next expression: the tree is walked in the order in
// which it was parsed.
func (w *treeLooker) program(p *Program, whole bool) shape.Shape {
	look := p.Look(w.shapes)
	w.parts = append(w.parts, PartLook{w.tree.parts[len(w.parts)], look, whole})
	return look.Shape
}

func (w *treeLooker) node(n *node) shape.Shape {
	switch {
	case n.program != nil:
		return w.program(n.program, true)
	case n.template != nil:
		for _, p := range n.template {
			if p.program != nil {
				w.program(p.program, false)
			}
		}
		return shape.Of(shape.Text)
	case n.list != nil:
		items := shape.Shape{}
		for i := range n.list {
			items = shape.Join(items, w.node(&n.list[i]))
		}
		return shape.ListOf(items)
	case n.object != nil:
		fields := make([]shape.Field, 0, len(n.names))
		for _, name := range n.names {
			m := n.object[name]
			fields = append(fields, shape.Must(name, w.node(&m)))
		}
		return shape.ObjectOf(fields...).Bound()
	}
	return shape.Value(n.constant)
}
