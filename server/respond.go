package server

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"signalbox/engine/draft"
	"signalbox/engine/problem"
)

var errPanic = errors.New("a handler panicked")

// answer is a problem as RFC 9457 wants it. It also is a huma.StatusError.
type answer struct {
	Type     string          `json:"type"`
	Title    string          `json:"title"`
	Status   int             `json:"status"`
	Detail   string          `json:"detail,omitempty"`
	Instance string          `json:"instance,omitempty" doc:"Id of the request, for the log"`
	Errors   []problem.Field `json:"errors,omitempty"`
	Issues   json.RawMessage `json:"issues,omitempty" doc:"Findings about the graph, when they are the reason"`
}

// Error implements error.
func (a *answer) Error() string { return a.Detail }

// GetStatus implements huma.StatusError.
func (a *answer) GetStatus() int { return a.Status }

// GetHeaders implements huma.HeadersError.
func (a *answer) GetHeaders() http.Header {
	switch a.Status {
	case http.StatusServiceUnavailable:
		return http.Header{"Retry-After": {retrySoon}}
	case http.StatusTooManyRequests:
		return http.Header{"Retry-After": {retryAfter}}
	}
	return nil
}

// retrySoon is when to ask again for what is away for a moment, in seconds.
const retrySoon = "1"

// ContentType implements huma.ContentTypeFilter.
func (a *answer) ContentType(string) string { return "application/problem+json" }

// statusOf maps the closed list of codes to statuses.
func statusOf(c problem.Code) int {
	switch c {
	case problem.Invalid:
		return http.StatusUnprocessableEntity
	case problem.NotFound:
		return http.StatusNotFound
	case problem.Conflict:
		return http.StatusConflict
	case problem.Forbidden:
		return http.StatusForbidden
	case problem.Unauthorized:
		return http.StatusUnauthorized
	case problem.TooLarge:
		return http.StatusRequestEntityTooLarge
	case problem.TooMany:
		return http.StatusTooManyRequests
	case problem.Unavailable:
		return http.StatusServiceUnavailable
	default:
		return http.StatusInternalServerError
	}
}

// answerTo turns any error into what the caller may see. What is not a
// problem is logged, once, here; the person sees the id of the request.
func (s *Server) answerTo(ctx context.Context, err error) *answer {
	id := requestIDOf(ctx)
	var a *answer
	if errors.As(err, &a) {
		a.Instance = id
		return a
	}
	var unsound *draft.UnsoundError
	if errors.As(err, &unsound) {
		const status = http.StatusUnprocessableEntity
		return &answer{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: "The drawing has errors that stop it from running.", Instance: id, Issues: issuesJSON(unsound.Issues)}
	}
	if p := problem.Of(err); p != nil {
		status := statusOf(p.Code)
		return &answer{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: p.Detail, Instance: id, Errors: p.Fields}
	}
	status, detail := http.StatusInternalServerError, "Something went wrong on the server. The log has the details under the id of this request."
	switch {
	case errors.Is(err, context.Canceled) && ctx.Err() != nil:
		// The caller has gone; nobody reads the answer.
		status, detail = 499, "The caller has gone."
	case !errors.Is(err, errPanic):
		s.config.Log.ErrorContext(ctx, "a request failed", "request", id, "err", err)
	}
	return &answer{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: detail, Instance: id}
}

// retryAfter is when a caller who was refused for coming too often, or because
// too much waits, may come again: in so many seconds.
const retryAfter = "60"

// fail answers with an error: a page for a person, problem+json for a program.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	a := s.answerTo(r.Context(), err)
	if a.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", retrySoon)
	}
	if a.Status == http.StatusTooManyRequests && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", retryAfter)
	}
	if wantsJSON(r) {
		writeProblem(w, a)
		return
	}
	s.pageError(w, r, a)
}

func writeProblem(w http.ResponseWriter, a *answer) {
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(a.Status)
	// The status is sent: an error here means that the caller has gone.
	_ = json.NewEncoder(w).Encode(a)
}

// writeJSON answers with a value that always encodes.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// wantsJSON reports whether a program asks: everything under the paths of the
// API, or who does not ask for HTML.
func wantsJSON(r *http.Request) bool {
	for _, prefix := range []string{"/api/", "/hooks/", "/demo/", "/ws"} {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return true
		}
	}
	return !strings.Contains(r.Header.Get("Accept"), "text/html")
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	s.fail(w, r, problem.New(problem.NotFound, "There is nothing at this address."))
}

func (s *Server) methodNotAllowed(w http.ResponseWriter, r *http.Request) {
	const status = http.StatusMethodNotAllowed
	a := &answer{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: "This address does not answer that method.", Instance: requestIDOf(r.Context())}
	writeProblem(w, a)
}
