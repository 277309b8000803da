package brief_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/event"
	"signalbox/engine/runtime/brief"
)

// TestEventsOfANewerProgramStayReadable as far as their place and name go.
func TestEventsOfANewerProgramStayReadable(t *testing.T) {
	t.Parallel()
	at := time.UnixMilli(1_800_000_000_000).UTC()
	want := brief.Brief{Seq: 3, At: 1_800_000_000_000, Type: "NodeCompleted", Node: "a"}
	for _, data := range []string{`{"v":2,"visit":{"of":"another shape"}}`, `{"visit":"spoiled"}`} {
		if d := cmp.Diff(want, brief.Read(event.Event{Seq: 3, At: at, Type: "NodeCompleted", Node: "a", Data: []byte(data)})); d != "" {
			t.Errorf("%s: %s", data, d)
		}
	}
	want.Type = "NodeDreamt"
	if d := cmp.Diff(want, brief.Read(event.Event{Seq: 3, At: at, Type: "NodeDreamt", Node: "a", Data: []byte(`{}`)})); d != "" {
		t.Error(d)
	}
	want.Type, want.Visit, want.Ports = "NodeCompleted", 2, []string{"success"}
	if d := cmp.Diff(want, brief.Read(event.Event{Seq: 3, At: at, Type: "NodeCompleted", Node: "a", Data: []byte(`{"visit":2,"took":"","ports":["success"]}`)})); d != "" {
		t.Error(d)
	}
}

func TestALearnedChoiceIsTold(t *testing.T) {
	t.Parallel()
	data := []byte(`{"visit":1,"attempt":1,"queue":"fast","priority":2,"learned":{"rule":"a","goal":"fastest","why":"best","among":[{"queue":"slow","share":0.1},{"queue":"fast","share":0.9}]}}`)
	b := brief.Read(event.Event{Seq: 3, At: time.UnixMilli(1_800_000_000_000).UTC(), Type: "TaskScheduled", Node: "a", Data: data})
	if b.Queue != "fast" || b.Why != "best" || b.Share != 0.9 {
		t.Errorf("%+v", b)
	}
}
