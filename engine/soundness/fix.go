package soundness

import "signalbox/engine/machine"

// tryMax is what may be looked at to try fixes, in tokens. Beyond it the
// likeliest is offered untried.
const tryMax = LookMax / 10

// fix looks for another join rule under which the finding is gone and no other
// error takes its place.
func (p *prover) fix(f *Finding, n *net, before seen) {
	for _, c := range p.candidates(*f) {
		if p.tried+before.work > tryMax || p.cures(*f, n, before, c) {
			f.Fix = &Fix{Node: c.node, Mode: c.mode, Cancel: c.cancel}
			return
		}
	}
	if f.Code == JoinStuck {
		p.fixOther(f, n, before)
	}
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
			f.Fix = &Fix{Node: c.node, Mode: c.mode}
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
	after := p.explore(newNet(p, n.scope, n.brief, &c), &budget)
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
