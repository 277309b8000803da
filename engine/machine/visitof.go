package machine

// VisitOf says which visit a fact is about; false: none.
func VisitOf(f Fact) (VisitRef, bool) { //nolint:funlen // one line for each fact
	switch f := f.(type) {
	case *RunStarted:
		return VisitRef{0, f.Trigger, 1}, true
	case *NodeCompleted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *NodeFailed:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *TaskScheduled:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *TaskStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *TaskCompleted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *TaskFailed:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *WaitStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *WaitCompleted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *CallStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *CallAnswered:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ContainerStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *BodyStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *BodyCompleted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *BodyFailed:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ContainerCompleted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ItemsStarted:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ItemsEnded:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ItemFailed:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *ItemsCanceled:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *VisitCanceled:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *VisitHeld:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *VisitReleased:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	case *Responded:
		return VisitRef{f.Scope, f.Node, f.Visit}, true
	default:
		return VisitRef{}, false
	}
}
