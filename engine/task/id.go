package task

// ID names one attempt.
type ID struct {
	Run     string
	Scope   int
	Node    string
	Visit   int
	Attempt int
}

// ID names the attempt of the task.
func (t *Task) ID() ID { return ID{t.Run, t.Scope, t.Node, t.Visit, t.Attempt} }
