package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humachi"
	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Limits of the API.
const (
	bodyMax    = 1 << 20          // bytes of a request
	graphMax   = 8 << 20          // bytes of a request that carries a graph or operations
	payloadDeg = 512              // nesting of JSON that is data
	pageMax    = 200              // entries of one page of a list
	pageUsual  = 50               // when the caller does not say
	apiVersion = "1"              // of the description
	apiTitle   = "Signalbox API"  // of the description
	bodyWithin = 30 * time.Second // for the body of a request to come in
)

// tuneHuma sets what the library keeps for the whole process: errors in our
// form, which never repeat the value that was refused, and arrays that are
// never null.
var tuneHuma = sync.OnceFunc(func() { //nolint:gochecknoglobals // the library's own settings are global
	huma.DefaultArrayNullable = false
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		a := &answer{Type: "about:blank", Title: http.StatusText(status), Status: status, Detail: sentence(msg)}
		for _, err := range errs {
			a.Errors = append(a.Errors, fieldOf(err))
		}
		return a
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		err := huma.NewError(status, msg, errs...)
		var a *answer
		if ctx != nil && errors.As(err, &a) {
			a.Instance = requestIDOf(ctx.Context())
		}
		return err
	}
})

// fieldOf keeps the place and the reason of a validation error, not the value.
func fieldOf(err error) problem.Field {
	var d huma.ErrorDetailer
	if !errors.As(err, &d) {
		return problem.Field{Message: err.Error()}
	}
	detail := d.ErrorDetail()
	return problem.Field{Location: pointer(detail.Location), Message: detail.Message}
}

// pointer turns body.items[3].tag into /items/3/tag.
func pointer(location string) string {
	path, inBody := strings.CutPrefix(location, "body")
	if !inBody {
		return location
	}
	path = strings.NewReplacer("[", ".", "]", "").Replace(path)
	return strings.ReplaceAll(path, ".", "/")
}

// sentence makes a sentence of a library's message.
func sentence(msg string) string {
	if msg == "" {
		return ""
	}
	msg = strings.ToUpper(msg[:1]) + msg[1:]
	if !strings.HasSuffix(msg, ".") {
		msg += "."
	}
	return msg
}

// strictJSON reads a body: no duplicate or unknown names, exact case, valid
// UTF-8, no NUL, bounded depth.
func strictJSON(data []byte, v any) error {
	if p := graph.CheckJSON(data, payloadDeg); p != nil {
		return p
	}
	err := json.Unmarshal(data, v, json.RejectUnknownMembers(true))
	var wrong *json.SemanticError
	switch {
	case errors.Is(err, json.ErrUnknownName):
		return errors.New("there is a field that is not known here; names are case-sensitive")
	case errors.As(err, &wrong):
		return fmt.Errorf("the value at %q has the wrong type or is out of range", string(wrong.JSONPointer))
	}
	return err //nolint:wrapcheck // nil, for the text was checked
}

// registerAPI adds the API's routes to the router.
func (s *Server) registerAPI(r chi.Router) {
	tuneHuma()
	c := huma.DefaultConfig(apiTitle, apiVersion)
	c.DocsPath, c.OpenAPIPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil
	c.RejectUnknownQueryParameters = true
	c.Formats = map[string]huma.Format{}
	for name, f := range huma.DefaultFormats {
		if name == "application/json" || name == "json" {
			c.Formats[name] = huma.Format{Marshal: f.Marshal, Unmarshal: strictJSON}
		}
	}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token":   {Type: "http", Scheme: "bearer", Description: "An API token, sb_…"},
		"session": {Type: "apiKey", In: "cookie", Name: s.sessions.Cookie.Name},
	}
	c.Security = []map[string][]string{{"token": {}}, {"session": {}}}
	api := humachi.New(r, c)
	s.registerBasics(api)
	s.registerWorkflows(api)
	s.registerDrafts(api)
	s.registerComments(api)
	s.registerReviews(api)
	s.registerInbox(api)
	s.registerExchange(api)
	s.registerImport(api)
	s.registerSnippets(api)
	s.registerCheckpoints(api)
	s.registerProposals(api)
	s.registerRuns(api)
	s.registerCases(api)
	s.registerBulk(api)
	s.registerFilters(api)
	s.registerShares(api)
	s.registerRoutes(api)
	s.registerQueues(api)
	s.registerLearned(api)
	s.registerFolders(api)
	s.registerLetters(api)
	s.registerCredentials(api)
	s.registerTokens(api)
	s.registerMembers(api)
	s.registerWorkspaces(api)
	s.registerAudit(api)
	s.registerBoards(api)
	s.registerWorkers(api)
	r.Get("/api/openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, api.OpenAPI())
	})
}

// on registers one operation whose errors become problems.
func on[I, O any](s *Server, api huma.API, op huma.Operation, f func(context.Context, *I) (*O, error)) {
	if op.OperationID == "" {
		op.OperationID = operationID(op.Method, op.Path)
	}
	if op.MaxBodyBytes == 0 {
		op.MaxBodyBytes = bodyMax
	}
	op.BodyReadTimeout = bodyWithin
	huma.Register(api, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := f(ctx, in)
		if err != nil {
			return nil, s.answerTo(ctx, err)
		}
		return out, nil
	})
}

func operationID(method, path string) string {
	words := strings.FieldsFunc(strings.TrimPrefix(path, "/api/"), func(r rune) bool { return strings.ContainsRune("/{}.", r) })
	return strings.ToLower(method) + "-" + strings.Join(words, "-")
}

func op(method, path, summary string) huma.Operation {
	return huma.Operation{Method: method, Path: path, Summary: summary}
}

// body is an answer with a JSON body.
type body[T any] struct{ Body T }

func reply[T any](v T) *body[T] { return &body[T]{Body: v} }
