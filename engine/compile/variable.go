package compile

import (
	"signalbox/engine/expr"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
)

// checkParts looks at the expressions of one part of a node, each at its own
// place.
func (c *compiler) checkParts(n graph.Node, at string, tree *expr.Tree) {
	c.checkRefs(n, at, tree.Refs())
	for _, p := range tree.Parts() {
		c.checkAround(n, at+p.Pointer, p.Offset, p.Program)
	}
}

// checkAround refuses the variables that there are in some places only: item
// and index inside of a container that repeats its body, acc where a join
// reduces, error where a retry asks.
func (c *compiler) checkAround(n graph.Node, field string, offset int, p *expr.Program) {
	for _, name := range p.Refs().Around {
		if c.sees(n, field, name) {
			continue
		}
		message := "“%s” reads “acc”, which there is only in the expression of a Join that reduces."
		switch name {
		case "item":
			message = "“%s” reads “item”, which there is only inside of a “For each item” or a “Repeat”, and in the expression of a Join that reduces."
		case "index":
			message = "“%s” reads “index”, which there is only inside of a “For each item” or a “Repeat”, and in the condition of a “Repeat”."
		case "error":
			message = "“%s” reads “error”, which there is only in the condition of a retry. After a failure port the error is input.error."
		}
		before := len(c.issues)
		c.fail("never_ready_data", n, field, message, c.title(n.ID))
		c.issues[before].Offset = offset + p.Where(name)
	}
}

// sees reports whether there is such a variable at a place of a node.
func (c *compiler) sees(n graph.Node, field, name string) bool {
	switch name {
	case "acc":
		return field == "/join/reduce"
	case "error":
		return field == "/retry/when"
	case "item":
		return field == "/join/reduce" || c.repeats(n)
	default:
		return field == "/config/condition" && machine.Op(n.Kind) == machine.OpLoop || c.repeats(n)
	}
}

// repeats reports whether a node stands in a map or a loop, however deep.
func (c *compiler) repeats(n graph.Node) bool {
	for depth := 0; n.In != "" && depth <= graph.NestingMax; depth++ {
		around := c.node[n.In]
		if around == nil {
			return false
		}
		if op := machine.Op(around.Kind); op == machine.OpMap || op == machine.OpLoop {
			return true
		}
		n = *around
	}
	return false
}
