package machine

// Fresh returns the large values that the last steps computed and empties the
// list: they must be stored before the events that name them.
func (s *Snapshot) Fresh() map[string][]byte {
	if len(s.fresh) == 0 {
		return nil
	}
	f := s.fresh
	s.fresh = map[string][]byte{}
	return f
}

// Needs lists the digests of large values that expressions may still read and
// that are not loaded, the most recent first, within LoadedMax.
func (s *Snapshot) Needs() []string {
	var need []string
	seen, size := map[string]bool{}, s.loaded
	visit := func(b *box) {
		for _, p := range leaves(b) {
			d := p.value.Payload
			if d == nil || p.blob != nil || seen[d.Digest] || size+d.Size > LoadedMax {
				continue
			}
			seen[d.Digest] = true
			size += d.Size
			need = append(need, d.Digest)
		}
	}
	s.eachBox(visit)
	return need
}

// Supply hands in the bytes of a large value.
func (s *Snapshot) Supply(digest string, data []byte) {
	if s.blobs[digest] == nil && s.loaded+len(data) <= LoadedMax {
		s.blobs[digest] = data
		s.loaded += len(data)
	}
	s.eachBox(func(b *box) {
		for _, p := range leaves(b) {
			if p.value.Payload != nil && p.value.Payload.Digest == digest {
				p.blob = s.blobs[digest]
			}
		}
	})
}

func leaves(b *box) []*box {
	switch {
	case b == nil:
		return nil
	case b.of != nil:
		return leaves(b.of)
	case b.parts == nil && b.list == nil:
		return []*box{b}
	}
	var out []*box
	for _, p := range b.parts {
		out = append(out, leaves(p.box)...)
	}
	for _, e := range b.list {
		out = append(out, leaves(e)...)
	}
	return out
}

func (s *Snapshot) eachBox(do func(*box)) {
	do(s.began)
	if s.around != nil {
		do(s.around.box)
	}
	if s.rig != nil {
		do(s.rig.edited)
		for _, b := range s.rig.pins {
			do(b)
		}
	}
	for i := range s.mail {
		do(s.mail[i].box)
	}
	for _, c := range s.scopes {
		c.eachBox(do)
	}
}

func (c *scope) eachBox(do func(*box)) {
	do(c.item)
	for _, q := range c.tokens {
		for i := range q {
			do(q[i].box)
		}
	}
	for i := range c.outputs {
		do(c.outputs[i].box)
	}
	for i := range c.done {
		do(c.done[i].input)
		do(c.done[i].output)
		do(c.done[i].about.item)
	}
	for i := range c.strays {
		do(c.strays[i].visit.input)
		do(c.strays[i].about.item)
	}
	for i := range c.visits {
		v := &c.visits[i]
		do(v.input)
		do(v.chart)
		for _, e := range v.ended {
			do(e.output)
		}
		if p := v.body; p != nil {
			do(p.items)
			do(p.last)
			for _, r := range p.results {
				do(r)
			}
		}
	}
}
