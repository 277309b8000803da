package shape

// Misfit tells why no value of one shape ever fits what is needed; nil: some
// may.
func Misfit(have, need Shape) *Fault { return misfit(have, need, "") }

func misfit(have, need Shape, at string) *Fault {
	both := have.Kinds & need.Kinds
	switch {
	case have.Never() || need.Never():
		return nil
	case both == 0:
		return &Fault{Pointer: at, Want: need, Got: have}
	case both != Object:
		return nil // a value of another sort may fit
	}
	for _, n := range need.Fields {
		h, there := have.Field(n.Name)
		below := at + "/" + escape(n.Name)
		switch {
		case !there && !n.Optional:
			return &Fault{Pointer: below, Missing: true, Want: n.Shape, Got: have}
		case there && (!n.Optional || !h.Optional):
			if f := misfit(h.Shape, n.Shape, below); f != nil {
				return f
			}
		}
	}
	if need.Open {
		return nil
	}
	for _, h := range have.Fields {
		if _, there := need.Field(h.Name); !there && !h.Optional {
			return &Fault{Pointer: at + "/" + escape(h.Name), Extra: true, Got: h.Shape}
		}
	}
	return nil
}
