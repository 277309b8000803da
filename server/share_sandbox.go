package server

import (
	"encoding/json"
	"net/http"
	"strconv"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

type sandboxOut struct {
	Events  json.RawMessage `json:"events" doc:"From the first one on"`
	Shared  int             `json:"shared" doc:"How many of them are those of the run"`
	Status  string          `json:"status"`
	Stopped *sandboxStop    `json:"stopped,omitempty" doc:"Absent: it came to its end"`
}

type sandboxStop struct {
	Node string `json:"node,omitempty"`
	Why  string `json:"why" enum:"no_result,waits,too_long,still_open"`
}

// guestSandbox plays another way of the run of a link: what would follow if an
// event had put something else out. Nothing outside is called and nothing is
// stored.
func (s *Server) guestSandbox(w http.ResponseWriter, r *http.Request) {
	o, ok := s.openShare(w, r)
	if !ok {
		return
	}
	if !o.Forks {
		s.notFound(w, r)
		return
	}
	if s.limits.guestRuns.OnLimit(w, r, "sandbox|"+o.ID.String()+"|"+s.clientIP(r)) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many runs in a minute. Wait a little."))
		return
	}
	values, ok := s.guestForm(w, r)
	if !ok {
		return
	}
	fork, err := sandboxRequest(values)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	fork.Workspace, fork.Run = o.Workspace, o.TargetID
	played, err := s.config.Engine.Sandbox(r.Context(), fork)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	out := sandboxOut{Events: encodeFrame(publicBriefs(played.Events)), Shared: played.Shared, Status: played.Status}
	if played.Stopped != nil {
		out.Stopped = &sandboxStop{played.Stopped.Node, played.Stopped.Why}
	}
	writeJSON(w, http.StatusOK, out)
}

// sandboxRequest reads the two fields that a guest may send: the number of an
// event, and data.
func sandboxRequest(values map[string][]string) (runtime.ForkRequest, error) {
	var f runtime.ForkRequest
	for name, list := range values {
		if (name != "at" && name != "output") || len(list) != 1 {
			return f, problem.New(problem.Invalid, "This form has no such field.").At("/"+name, "unknown", "one of: at, output")
		}
	}
	at := values["at"]
	if len(at) == 0 {
		return f, problem.New(problem.Invalid, "Which event?").At("/at", "missing", "the number of an event of this run")
	}
	n, err := strconv.Atoi(at[0])
	if err != nil || n < 1 {
		return f, problem.New(problem.Invalid, "Which event?").At("/at", "not readable", "the number of an event of this run")
	}
	f.At = n
	if text := values["output"]; len(text) == 1 && text[0] != "" {
		if p := graph.CheckJSON([]byte(text[0]), payloadDeg); p != nil {
			return f, p.At("/output", "not readable", `JSON, such as {"priority":9}`)
		}
		f.Output = json.RawMessage(text[0])
	}
	return f, nil
}
