package soundness

import "signalbox/engine/machine"

// ProveBriefly proves as Prove does where every moment of a deadline is too
// much to try.
func ProveBriefly(m *machine.Machine) []Finding {
	p := newProver(m)
	p.exact = 0
	p.run()
	return p.found
}

// ProveApart proves as Prove does, each state by itself.
func ProveApart(m *machine.Machine) []Finding {
	p := newProver(m)
	p.apart = true
	p.run()
	return p.found
}
