package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-chi/chi/v5"

	"signalbox/engine/draft"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
)

// Limits of webhooks.
const (
	hookBytesUsual = 1_000_000        // of a body, unless the node says otherwise
	hookBytesMax   = 10_000_000       // that a node can ask for
	hookWaitUsual  = 30 * time.Second // for an answer of the run; then 202
	hookKeyMax     = 256              // characters of an idempotency key
)

// How a webhook answers.
const (
	respondAtOnce = "at_once"
	respondAtEnd  = "at_end"
	respondByNode = "by_node"
)

// hookConfig is the configuration of a webhook node.
type hookConfig struct {
	Methods    []string `json:"methods"`
	Auth       string   `json:"auth"`
	Credential string   `json:"credential"`
	Respond    string   `json:"respond"`
	MaxBytes   int64    `json:"max_bytes"`
	Dedupe     string   `json:"dedupe"`

	InputSchema json.RawMessage `json:"input_schema"`
}

func readHookConfig(raw json.RawMessage) (hookConfig, error) {
	var c hookConfig
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &c); err != nil {
			return c, err //nolint:wrapcheck // named by the caller
		}
	}
	if len(c.Methods) == 0 {
		c.Methods = []string{http.MethodPost}
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = hookBytesUsual
	}
	c.MaxBytes = min(c.MaxBytes, hookBytesMax)
	return c, nil
}

// hook lets the outside world start a run. The order matters: whoever is not
// allowed learns nothing about what would have been right.
func (s *Server) hook(w http.ResponseWriter, r *http.Request) {
	// Whatever a workflow answers, a browser runs none of it as our page.
	w.Header().Set("Content-Security-Policy", "sandbox; default-src 'none'")
	if !s.fromLoopback(r) && s.limits.hooks.OnLimit(w, r, s.clientIP(r)) {
		s.fail(w, r, problem.New(problem.TooMany, "Too many calls in a minute. Wait a little."))
		return
	}
	h, c, err := s.findHook(r)
	if err != nil {
		s.refuseHook(w, r, err)
		return
	}
	if !slices.Contains(c.Methods, r.Method) {
		w.Header().Set("Allow", strings.Join(c.Methods, ", "))
		s.methodNotAllowed(w, r)
		return
	}
	raw, err := readHookBody(w, r, c.MaxBytes)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if err := s.admitHook(r, h, c, raw); err != nil {
		s.refuseHook(w, r, err)
		return
	}
	input, err := hookInput(r, raw)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	if err := demanded(c.InputSchema, input); err != nil {
		s.fail(w, r, err)
		return
	}
	key, err := hookKey(r, c, input)
	if err != nil {
		s.fail(w, r, err)
		return
	}
	s.startHook(w, r, c, runtime.StartRequest{
		Workspace: h.Workspace, Workflow: h.Workflow, Version: h.Version, Trigger: h.Node,
		Input: input, Attributes: hookAttributes(r, input), Source: "webhook", Key: key, Wait: hookWaitFor(c.Respond),
	})
}

// refuseHook counts failures by address, so that guessing stays slow.
func (s *Server) refuseHook(w http.ResponseWriter, r *http.Request, err error) {
	if problem.Of(err) != nil && s.limits.rejected.OnLimit(w, r, s.clientIP(r)) {
		err = problem.New(problem.TooMany, "Too many refused calls in a minute. Wait a little.")
	}
	s.fail(w, r, err)
}

func (s *Server) findHook(r *http.Request) (draft.Hook, hookConfig, error) {
	h, err := s.config.Drafts.HookByPath(r.Context(), chi.URLParam(r, "path"))
	if err != nil {
		return h, hookConfig{}, err
	}
	if !h.Active {
		return h, hookConfig{}, problem.New(problem.NotFound, "There is no such webhook.")
	}
	c, err := readHookConfig(h.Config)
	return h, c, err
}

// readHookBody reads the body as it came: a signature is over these bytes.
func readHookBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if e := r.Header.Get("Content-Encoding"); e != "" && e != "identity" {
		// Nothing is unpacked: a small body could become a huge one.
		return nil, &answer{Type: "about:blank", Title: "Unsupported Media Type", Status: http.StatusUnsupportedMediaType, Detail: "Send the body uncompressed."}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, problem.New(problem.TooLarge, "This webhook takes %d bytes.", limit)
	case err != nil:
		return nil, problem.New(problem.Invalid, "The body cannot be read to its end.")
	}
	return raw, nil
}

// hookInput makes the value that the run gets. Only the declared type decides
// how the bytes are read; nothing is guessed.
func hookInput(r *http.Request, raw []byte) (json.RawMessage, error) {
	if len(bytes.TrimSpace(raw)) == 0 {
		return queryInput(r.URL.Query()), nil
	}
	media := "application/json"
	if declared := r.Header.Get("Content-Type"); declared != "" {
		parsed, _, err := mime.ParseMediaType(declared)
		if err != nil {
			return nil, problem.New(problem.Invalid, "The content type cannot be read.").At("header.Content-Type", "not readable", "application/json")
		}
		media = parsed
	}
	switch {
	case media == "application/json" || strings.HasSuffix(media, "+json"):
		if p := graph.CheckJSON(raw, payloadDeg); p != nil {
			return nil, p
		}
		return raw, nil
	case media == "application/x-www-form-urlencoded":
		values, err := url.ParseQuery(string(raw))
		if err != nil || !utf8.Valid(raw) {
			return nil, problem.New(problem.Invalid, "The form cannot be read.")
		}
		return queryInput(values), nil
	case strings.HasPrefix(media, "text/"):
		if !utf8.Valid(raw) || bytes.ContainsRune(raw, 0) {
			return nil, problem.New(problem.Invalid, "The text is not UTF-8, or it holds a NUL character.")
		}
		return encodeFrame(string(raw)), nil
	default:
		return nil, &answer{Type: "about:blank", Title: "Unsupported Media Type", Status: http.StatusUnsupportedMediaType, Detail: "Send JSON, a form or text."}
	}
}

// queryInput makes an object of fields; a field that comes several times is a
// list.
func queryInput(values url.Values) json.RawMessage {
	out := make(map[string]any, len(values))
	for name, list := range values {
		name, clean := cleanText(name), make([]string, len(list))
		for i, v := range list {
			clean[i] = cleanText(v)
		}
		if len(clean) == 1 {
			out[name] = clean[0]
		} else {
			out[name] = clean
		}
	}
	return encodeFrame(out)
}

// cleanText drops what JSON or Postgres cannot hold: a query may carry any
// bytes.
func cleanText(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "\uFFFD")
}

// hookAttributes is what lists show and filter by.
func hookAttributes(r *http.Request, input json.RawMessage) json.RawMessage {
	out := map[string]any{"method": r.Method}
	var fields map[string]json.RawMessage
	if json.Unmarshal(input, &fields) == nil {
		for _, name := range []string{"priority", "type"} {
			if raw := fields[name]; len(raw) > 0 && len(raw) <= 100 && raw[0] != '{' && raw[0] != '[' {
				out[name] = raw
			}
		}
	}
	return encodeFrame(out)
}

func hookWaitFor(respond string) runtime.Wait {
	switch respond {
	case respondAtEnd:
		return runtime.WaitEnd
	case respondByNode:
		return runtime.WaitAnswer
	default:
		return runtime.WaitNone
	}
}

// startHook starts the run and answers as the node says.
func (s *Server) startHook(w http.ResponseWriter, r *http.Request, c hookConfig, req runtime.StartRequest) {
	ctx, cancel := context.WithTimeout(r.Context(), s.config.HookWait)
	defer cancel()
	started, err := s.config.Engine.Start(ctx, req)
	late := err != nil && errors.Is(err, context.DeadlineExceeded) && r.Context().Err() == nil
	switch {
	case late && req.Wait == runtime.WaitNone:
		s.fail(w, r, problem.New(problem.Unavailable, "The engine did not take the run in time. Send it again; the same key starts it once."))
	case err != nil && !late:
		s.fail(w, r, err)
	case started.Answer == nil:
		s.acceptHook(w, started)
	case c.Respond == respondByNode && started.Answer.Status != 0:
		writeRunAnswer(w, started)
	default:
		s.endHook(w, r, started)
	}
}

// runLinks says where to look for a run.
type runLinks struct {
	Self   string `json:"self"`
	Events string `json:"events"`
	Page   string `json:"page"`
}

func (s *Server) linksOf(run string) runLinks {
	return runLinks{Self: s.origin + "/api/runs/" + run, Events: s.origin + "/api/runs/" + run + "/events", Page: s.origin + "/runs/" + run}
}

// acceptHook says that the run is on disk: 202, or 200 for a call that was
// made before and started nothing.
func (s *Server) acceptHook(w http.ResponseWriter, started runtime.Started) {
	status := http.StatusAccepted
	if started.Existing {
		status = http.StatusOK
	}
	writeJSON(w, status, struct {
		Run      string   `json:"run"`
		Existing bool     `json:"existing"`
		Links    runLinks `json:"links"`
	}{started.Run.String(), started.Existing, s.linksOf(started.Run.String())})
}

// endHook answers with the result of a run that is over.
func (s *Server) endHook(w http.ResponseWriter, r *http.Request, started runtime.Started) {
	a := started.Answer
	w.Header().Set("X-Signalbox-Run", started.Run.String())
	if a.Run == runtime.StatusSucceeded {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(orNull(a.Body))
		return
	}
	// Why it failed may quote data that is none of the caller's business.
	detail := "The run was canceled."
	if a.Error != nil {
		detail = "The run failed (" + a.Error.Class + "). Its page has the details."
	}
	writeProblem(w, &answer{Type: "about:blank", Title: "Run " + a.Run, Status: http.StatusBadGateway, Detail: detail, Instance: requestIDOf(r.Context())})
}

// writeRunAnswer writes what a respond node says.
func writeRunAnswer(w http.ResponseWriter, started runtime.Started) {
	a := started.Answer
	h := w.Header()
	h.Set("X-Signalbox-Run", started.Run.String())
	h.Set("Content-Type", "application/json")
	for name, value := range a.Headers {
		if answerHeader(name) && !strings.ContainsAny(value, "\r\n\x00") {
			h.Set(name, value)
		}
	}
	raw := orNull(a.Body)
	media, _, _ := mime.ParseMediaType(h.Get("Content-Type"))
	var text string
	if strings.HasPrefix(media, "text/") && json.Unmarshal(raw, &text) == nil {
		raw = []byte(text)
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(raw)
}

// answerHeader reports whether a workflow may set the header: none that
// speaks for our origin or about the connection.
func answerHeader(name string) bool {
	name = http.CanonicalHeaderKey(name)
	switch name {
	case "Content-Type", "Content-Language", "Content-Disposition", "Cache-Control", "Etag", "Expires", "Last-Modified", "Location", "Retry-After", "Link":
		return true
	}
	return strings.HasPrefix(name, "X-") && name != "X-Frame-Options" && name != "X-Content-Type-Options" && name != "X-Request-Id" && name != "X-Signalbox-Run"
}

func orNull(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return json.RawMessage("null")
	}
	return raw
}
