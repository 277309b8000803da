package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// demoMax is the size of what the demo endpoint takes, in bytes.
const demoMax = 64 << 10

// demo is the other side of the templates: a small service that takes JSON and
// answers with a ticket number and what it got, so that an HTTP node has
// something to call without a network. It answers this machine only and
// changes nothing. The number follows from the content: a repeated call, as
// after a crash, gets the same one.
func (s *Server) demo(w http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, demoMax))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		s.fail(w, r, problem.New(problem.TooLarge, "The demo endpoint takes %d bytes.", demoMax))
		return
	}
	if err != nil {
		s.fail(w, r, problem.New(problem.Invalid, "The body cannot be read."))
		return
	}
	var received any
	if len(raw) > 0 {
		if p := graph.CheckJSON(raw, payloadDeg); p != nil {
			s.fail(w, r, p)
			return
		}
		if err := json.Unmarshal(raw, &received); err != nil {
			s.fail(w, r, problem.New(problem.Invalid, "The body is not JSON."))
			return
		}
	}
	name := chi.URLParam(r, "name")
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	_, _ = sum.Write([]byte(r.Header.Get("Idempotency-Key")))
	_, _ = sum.Write(raw)
	writeJSON(w, http.StatusOK, map[string]any{
		"service": name,
		"method":  r.Method,
		"ticket":  fmt.Sprintf("T-%06d", sum.Sum32()%1_000_000),
		"status":  "accepted",
		"echo":    received,
	})
}
