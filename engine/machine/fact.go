package machine

// blanks makes an empty fact of each type, by its name on disk.
var blanks = map[string]func(node string) Fact{
	"RunStarted":            func(_ string) Fact { return &RunStarted{} },
	"NodeCompleted":         func(node string) Fact { return &NodeCompleted{Node: node} },
	"NodeFailed":            func(node string) Fact { return &NodeFailed{Node: node} },
	"TaskScheduled":         func(node string) Fact { return &TaskScheduled{Node: node} },
	"TaskStarted":           func(node string) Fact { return &TaskStarted{Node: node} },
	"TaskCompleted":         func(node string) Fact { return &TaskCompleted{Node: node} },
	"TaskFailed":            func(node string) Fact { return &TaskFailed{Node: node} },
	"WaitStarted":           func(node string) Fact { return &WaitStarted{Node: node} },
	"WaitCompleted":         func(node string) Fact { return &WaitCompleted{Node: node} },
	"SignalReceived":        func(_ string) Fact { return &SignalReceived{} },
	"CallStarted":           func(node string) Fact { return &CallStarted{Node: node} },
	"CallAnswered":          func(node string) Fact { return &CallAnswered{Node: node} },
	"ChartMoved":            func(node string) Fact { return &ChartMoved{Node: node} },
	"ContainerStarted":      func(node string) Fact { return &ContainerStarted{Node: node} },
	"BodyStarted":           func(node string) Fact { return &BodyStarted{Node: node} },
	"BodyCompleted":         func(node string) Fact { return &BodyCompleted{Node: node} },
	"BodyFailed":            func(node string) Fact { return &BodyFailed{Node: node} },
	"ContainerCompleted":    func(node string) Fact { return &ContainerCompleted{Node: node} },
	"ItemsStarted":          func(node string) Fact { return &ItemsStarted{Node: node} },
	"ItemsEnded":            func(node string) Fact { return &ItemsEnded{Node: node} },
	"ItemFailed":            func(node string) Fact { return &ItemFailed{Node: node} },
	"ItemsCanceled":         func(node string) Fact { return &ItemsCanceled{Node: node} },
	"VisitCanceled":         func(node string) Fact { return &VisitCanceled{Node: node} },
	"TokensCanceled":        func(node string) Fact { return &TokensCanceled{Node: node} },
	"RoundOpened":           func(node string) Fact { return &RoundOpened{Node: node} },
	"TokensAbsorbed":        func(node string) Fact { return &TokensAbsorbed{Node: node} },
	"RoundClosed":           func(node string) Fact { return &RoundClosed{Node: node} },
	"CompensationStarted":   func(_ string) Fact { return &CompensationStarted{} },
	"CompensationCompleted": func(_ string) Fact { return &CompensationCompleted{} },
	"AttentionNeeded":       func(node string) Fact { return &AttentionNeeded{Node: node} },
	"AttentionResolved":     func(node string) Fact { return &AttentionResolved{Node: node} },
	"Responded":             func(node string) Fact { return &Responded{Node: node} },
	"RunPaused":             func(_ string) Fact { return &RunPaused{} },
	"RunResumed":            func(_ string) Fact { return &RunResumed{} },
	"RunSucceeded":          func(_ string) Fact { return &RunSucceeded{} },
	"RunFailed":             func(_ string) Fact { return &RunFailed{} },
	"RunCompensated":        func(_ string) Fact { return &RunCompensated{} },
	"RunCanceled":           func(_ string) Fact { return &RunCanceled{} },
	"TestArranged":          func(_ string) Fact { return &TestArranged{} },
	"OutputPinned":          func(node string) Fact { return &OutputPinned{Node: node} },
	"ClockMoved":            func(_ string) Fact { return &ClockMoved{} },
	"VisitHeld":             func(node string) Fact { return &VisitHeld{Node: node} },
	"VisitReleased":         func(node string) Fact { return &VisitReleased{Node: node} },
}

func blank(typ, node string) Fact {
	if empty := blanks[typ]; empty != nil {
		return empty(node)
	}
	return nil
}

// Name returns the type and the node of a fact.
func Name(f Fact) (typ, node string) {
	switch f := f.(type) {
	case *RunStarted:
		return "RunStarted", f.Trigger
	case *NodeCompleted:
		return "NodeCompleted", f.Node
	case *NodeFailed:
		return "NodeFailed", f.Node
	case *TaskScheduled:
		return "TaskScheduled", f.Node
	case *TaskStarted:
		return "TaskStarted", f.Node
	case *TaskCompleted:
		return "TaskCompleted", f.Node
	case *TaskFailed:
		return "TaskFailed", f.Node
	case *WaitStarted:
		return "WaitStarted", f.Node
	case *WaitCompleted:
		return "WaitCompleted", f.Node
	case *SignalReceived:
		return "SignalReceived", ""
	case *CallStarted:
		return "CallStarted", f.Node
	case *CallAnswered:
		return "CallAnswered", f.Node
	case *ChartMoved:
		return "ChartMoved", f.Node
	case *ContainerStarted:
		return "ContainerStarted", f.Node
	case *BodyStarted:
		return "BodyStarted", f.Node
	case *BodyCompleted:
		return "BodyCompleted", f.Node
	case *BodyFailed:
		return "BodyFailed", f.Node
	case *ContainerCompleted:
		return "ContainerCompleted", f.Node
	case *ItemsStarted:
		return "ItemsStarted", f.Node
	case *ItemsEnded:
		return "ItemsEnded", f.Node
	case *ItemFailed:
		return "ItemFailed", f.Node
	case *ItemsCanceled:
		return "ItemsCanceled", f.Node
	case *VisitCanceled:
		return "VisitCanceled", f.Node
	case *TokensCanceled:
		return "TokensCanceled", f.Node
	case *RoundOpened:
		return "RoundOpened", f.Node
	case *TokensAbsorbed:
		return "TokensAbsorbed", f.Node
	case *RoundClosed:
		return "RoundClosed", f.Node
	case *CompensationStarted:
		return "CompensationStarted", ""
	case *CompensationCompleted:
		return "CompensationCompleted", ""
	case *AttentionNeeded:
		return "AttentionNeeded", f.Node
	case *AttentionResolved:
		return "AttentionResolved", f.Node
	case *Responded:
		return "Responded", f.Node
	case *RunPaused:
		return "RunPaused", ""
	case *RunResumed:
		return "RunResumed", ""
	case *RunSucceeded:
		return "RunSucceeded", ""
	case *RunFailed:
		return "RunFailed", ""
	case *RunCompensated:
		return "RunCompensated", ""
	case *RunCanceled:
		return "RunCanceled", ""
	case *TestArranged:
		return "TestArranged", ""
	case *OutputPinned:
		return "OutputPinned", f.Node
	case *ClockMoved:
		return "ClockMoved", ""
	case *VisitHeld:
		return "VisitHeld", f.Node
	case *VisitReleased:
		return "VisitReleased", f.Node
	}
	return "", ""
}

func (*RunStarted) fact()            {}
func (*NodeCompleted) fact()         {}
func (*NodeFailed) fact()            {}
func (*TaskScheduled) fact()         {}
func (*TaskStarted) fact()           {}
func (*TaskCompleted) fact()         {}
func (*TaskFailed) fact()            {}
func (*WaitStarted) fact()           {}
func (*WaitCompleted) fact()         {}
func (*SignalReceived) fact()        {}
func (*CallStarted) fact()           {}
func (*CallAnswered) fact()          {}
func (*ChartMoved) fact()            {}
func (*ContainerStarted) fact()      {}
func (*BodyStarted) fact()           {}
func (*BodyCompleted) fact()         {}
func (*BodyFailed) fact()            {}
func (*ContainerCompleted) fact()    {}
func (*ItemsStarted) fact()          {}
func (*ItemsEnded) fact()            {}
func (*ItemFailed) fact()            {}
func (*ItemsCanceled) fact()         {}
func (*VisitCanceled) fact()         {}
func (*TokensCanceled) fact()        {}
func (*RoundOpened) fact()           {}
func (*TokensAbsorbed) fact()        {}
func (*RoundClosed) fact()           {}
func (*CompensationStarted) fact()   {}
func (*CompensationCompleted) fact() {}
func (*AttentionNeeded) fact()       {}
func (*AttentionResolved) fact()     {}
func (*Responded) fact()             {}
func (*RunPaused) fact()             {}
func (*RunResumed) fact()            {}
func (*RunSucceeded) fact()          {}
func (*RunFailed) fact()             {}
func (*RunCompensated) fact()        {}
func (*RunCanceled) fact()           {}
