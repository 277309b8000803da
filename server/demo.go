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
	out, err := demonstrate(w, r)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, out)
}

// Demo is the demo endpoint by itself, for workflows that run without a server.
func Demo() http.Handler {
	r := chi.NewRouter()
	r.HandleFunc("/demo/{name}", func(w http.ResponseWriter, r *http.Request) {
		out, err := demonstrate(w, r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		writeJSON(w, http.StatusOK, out)
	})
	return r
}

// demonstrate is what the demo endpoint answers.
func demonstrate(w http.ResponseWriter, r *http.Request) (map[string]any, error) {
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, demoMax))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, problem.New(problem.TooLarge, "The demo endpoint takes %d bytes.", demoMax)
	}
	if err != nil {
		return nil, problem.New(problem.Invalid, "The body cannot be read.")
	}
	var received any
	if len(raw) > 0 {
		if p := graph.CheckJSON(raw, payloadDeg); p != nil {
			return nil, p
		}
		if err := json.Unmarshal(raw, &received); err != nil {
			return nil, problem.New(problem.Invalid, "The body is not JSON.")
		}
	}
	name := chi.URLParam(r, "name")
	sum := fnv.New32a()
	_, _ = sum.Write([]byte(name))
	_, _ = sum.Write([]byte(r.Header.Get("Idempotency-Key")))
	_, _ = sum.Write(raw)
	return map[string]any{
		"service": name,
		"method":  r.Method,
		"ticket":  fmt.Sprintf("T-%06d", sum.Sum32()%1_000_000),
		"status":  "accepted",
		"echo":    received,
	}, nil
}
