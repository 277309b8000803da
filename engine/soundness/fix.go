package soundness

import (
	"slices"

	"signalbox/engine/machine"
)

// tryMax is what may be looked at to try fixes, in tokens. Beyond it the
// likeliest is offered untried.
const tryMax = LookMax / 10

// fix looks for another join rule under which the finding is gone and no other
// error takes its place.
func (p *prover) fix(f *Finding, n *net, before seen) {
	list := p.candidates(*f)
	for len(list) > 0 && p.tried+before.work <= tryMax {
		if c := list[0]; p.cures(*f, n, before, c) {
			f.Fix = c.fix()
			return
		}
		list = list[1:]
	}
	switch {
	case f.Code == JoinCycle && p.fixCycle(f, n):
	case len(list) > 0:
		f.Fix = list[0].fix() // untried
	case f.Code == JoinStuck:
		p.fixOther(f, n, before)
	}
}

func (c change) fix() *Fix { return &Fix{Node: c.node, Mode: c.mode, Cancel: c.cancel} }

// cycleMax is what may be looked at to try a change of several joins.
const cycleMax = LookMax / 2

// cycleRounds is how often a change of several joins is tried, each time with
// what the time before has shown.
const cycleRounds = 8

// fixCycle looks for joins that may start for each branch by itself, so that
// none waits for another any more: as in a loop around choices side by side, of
// whose branches only one comes each. A join whose branches all come would start
// too often, and is left as it is.
func (p *prover) fixCycle(f *Finding, n *net) bool {
	joins, kept := slices.Clone(f.Related), []int(nil)
	for round := 0; round < cycleRounds && len(joins) > 1 && p.cycled < cycleMax; round++ {
		trial := make([]change, len(joins))
		for i, node := range joins {
			trial[i] = change{node, machine.JoinEach, false}
		}
		budget := cycleMax - p.cycled
		after := p.explore(newNet(p, n.scope, n.brief, trial), &budget)
		p.cycled += after.work
		changed := false
		for _, g := range after.found {
			switch {
			case g.Code == RunsTwice && slices.Contains(joins, g.Node):
				kept = append(kept, g.Node)
				joins = slices.DeleteFunc(joins, func(i int) bool { return i == g.Node })
				changed = true
			case g.Code == JoinCycle: // the next ones that wait
				for _, i := range g.Related {
					if !slices.Contains(joins, i) && !slices.Contains(kept, i) {
						joins, changed = append(joins, i), true
					}
				}
			}
		}
		switch {
		case !changed && !after.partial && errors(after.found) == 0:
			slices.Sort(joins)
			f.Fix = &Fix{Node: joins[0], Others: joins[1:], Mode: machine.JoinEach}
			return true
		case !changed:
			return false
		}
	}
	return false
}

// fixOther looks for an inclusive join elsewhere that keeps the branch back:
// behind a choice in a loop it waits for what the stuck join could send round,
// and that for it. Nothing is offered untried, and no join of branches that come
// side by side: it would start for each.
func (p *prover) fixOther(f *Finding, n *net, before seen) {
	for _, i := range n.nodes {
		c := change{i, machine.JoinEach, false}
		if i == f.Node || n.join[i] != machine.JoinInclusive || p.tried+before.work > tryMax {
			continue
		}
		after := p.try(n, before, c)
		if !after.partial && errors(after.found) == 0 && !has(after.found, RunsTwice, i) {
			f.Fix = c.fix()
			return
		}
	}
}

// candidates lists the changes that may remove a finding, the likeliest first.
func (p *prover) candidates(f Finding) []change {
	switch f.Code {
	case JoinStuck:
		return []change{{f.Node, machine.JoinInclusive, false}, {f.Node, machine.JoinEach, false}}
	case JoinCycle:
		var list []change
		for _, n := range f.Related {
			list = append(list, change{n, machine.JoinEach, false})
		}
		return list
	default:
		return nil
	}
}

func (p *prover) cures(f Finding, n *net, before seen, c change) bool {
	after := p.try(n, before, c)
	return !after.partial && !has(after.found, f.Code, f.Node) && errors(after.found) < errors(before.found)
}

func (p *prover) try(n *net, before seen, c change) seen {
	budget := 2*before.work + 1_000
	after := p.explore(newNet(p, n.scope, n.brief, []change{c}), &budget)
	p.tried += after.work
	return after
}

func errors(found []Finding) int {
	n := 0
	for _, f := range found {
		if f.Code == JoinStuck || f.Code == JoinCycle || f.Code == NoExit {
			n++
		}
	}
	return n
}
