package machine

import "signalbox/engine/event"

// OutputOf is what an event put out; false: it puts nothing out of its own.
func OutputOf(f Fact) (event.Value, bool) {
	switch f := f.(type) {
	case *RunStarted:
		return f.Input, true
	case *NodeCompleted:
		return f.Output, true
	case *TaskCompleted:
		return f.Output, true
	case *Responded:
		return f.Output, true
	case *WaitCompleted:
		return f.Output, !f.Output.IsZero()
	case *ContainerCompleted:
		return f.Output, !f.Output.IsZero()
	default:
		return event.Value{}, false
	}
}

// WithOutput is a copy of a fact that puts another value out.
func WithOutput(f Fact, v event.Value) (Fact, bool) {
	switch f := f.(type) {
	case *RunStarted:
		c := *f
		c.Input = v
		return &c, true
	case *NodeCompleted:
		c := *f
		c.Output = v
		return &c, true
	case *TaskCompleted:
		c := *f
		c.Output = v
		return &c, true
	case *Responded:
		c := *f
		c.Output = v
		return &c, true
	default:
		return nil, false
	}
}
