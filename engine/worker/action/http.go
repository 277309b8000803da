package action

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"signalbox/engine/guard"
	"signalbox/engine/span"
	"signalbox/engine/worker"
)

// Limits of an HTTP request.
const (
	httpTime       = 30 * time.Second // when the task names no time
	headersShown   = 50               // of an answer
	headerShownMax = 4_000            // characters of one
)

// HTTP calls web addresses through the guard.
type HTTP struct {
	client *guard.Client
	traced bool
}

var _ worker.Action = HTTP{}

// NewHTTP makes the action.
func NewHTTP(client *guard.Client) HTTP { return HTTP{client: client} }

// Traced is the action that tells the other side in which trace it is called.
func (h HTTP) Traced() HTTP {
	h.traced = true
	return h
}

type httpConfig struct {
	Method     string                     `json:"method"`
	URL        string                     `json:"url"`
	Query      map[string]json.RawMessage `json:"query"`
	Headers    map[string]json.RawMessage `json:"headers"`
	Auth       string                     `json:"auth"`
	Credential string                     `json:"credential"`
	BodyType   string                     `json:"body_type"`
	Body       json.RawMessage            `json:"body"`
	Response   string                     `json:"response"`
}

// httpOutput is what the step puts out.
type httpOutput struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
}

// Do implements worker.Action.
func (h HTTP) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	var cfg httpConfig
	if err := readConfig(c.Config, &cfg); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The request's configuration cannot be read: "+err.Error())
	}
	if c.Task.Timeout <= 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, httpTime, worker.Fail(worker.ClassTimeout, fmt.Sprintf("The request took longer than %s.", httpTime)))
		defer cancel()
	}
	req := cfg.request()
	if cfg.Auth == "credential" {
		if err := join(ctx, c, cfg.Credential, req.Header); err != nil {
			return nil, err
		}
	}
	if effectful(req.Method) && req.Header.Get("Idempotency-Key") == "" {
		req.Header.Set("Idempotency-Key", c.Task.Key)
	}
	if h.traced && req.Header.Get("Traceparent") == "" {
		req.Header.Set("Traceparent", span.Parent(&c.Task))
	}
	res, err := h.client.Do(ctx, req)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, statusFailure(res, body)
	}
	return encode(httpOutput{Status: res.StatusCode, Headers: shown(res.Header), Body: value(cfg.Response, body)})
}

// effectful reports whether a method may change something on the other side.
func effectful(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// request builds the request without its secret.
func (c *httpConfig) request() guard.Request {
	r := guard.Request{Method: strings.ToUpper(c.Method), URL: withQuery(c.URL, c.Query), Header: http.Header{}}
	if r.Method == "" {
		r.Method = http.MethodGet
	}
	switch c.BodyType {
	case "json":
		r.Body = c.Body
		if len(r.Body) == 0 {
			r.Body = []byte("null")
		}
		r.Header.Set("Content-Type", "application/json")
	case "text":
		r.Body = []byte(plain(c.Body))
		r.Header.Set("Content-Type", "text/plain; charset=utf-8")
	}
	if c.Response != "text" {
		r.Header.Set("Accept", "application/json, */*;q=0.5")
	}
	for name, v := range c.Headers {
		if string(v) == "null" {
			continue
		}
		r.Header[http.CanonicalHeaderKey(name)] = []string{plain(v)} // the guard refuses what cannot be sent
	}
	return r
}

// withQuery adds parameters behind those that the address has; a list becomes
// one parameter for each item, and null becomes none.
func withQuery(address string, query map[string]json.RawMessage) string {
	if len(query) == 0 {
		return address
	}
	added := url.Values{}
	for name, v := range query {
		var list []json.RawMessage
		if json.Unmarshal(v, &list) != nil {
			list = []json.RawMessage{v}
		}
		for _, item := range list {
			added.Add(name, plain(item))
		}
	}
	address, fragment, _ := strings.Cut(address, "#")
	joint := "?"
	if strings.Contains(address, "?") {
		joint = "&"
	}
	if strings.HasSuffix(address, "?") || strings.HasSuffix(address, "&") {
		joint = ""
	}
	address += joint + added.Encode()
	if fragment != "" {
		address += "#" + fragment
	}
	return address
}

// join puts a credential into the request, at the last moment.
func join(ctx context.Context, c worker.Call, name string, h http.Header) error {
	if name == "" {
		return worker.Fail(worker.ClassInvalidInput, "No credential is chosen.")
	}
	secret, err := c.Secret(ctx, name)
	if err != nil {
		return err
	}
	field, v, ok := secret.HeaderField()
	if !ok {
		return worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("The credential %.40q is not one that a request can carry.", name))
	}
	h.Set(field, v)
	return nil
}

// plain writes a JSON value into a query, a header or a text.
func plain(raw json.RawMessage) string {
	var s string
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	default:
		return string(raw)
	}
}

// shown are an answer's headers, without cookies: they are secrets of a sort.
func shown(h http.Header) map[string]string {
	names := make([]string, 0, len(h))
	for name := range h {
		if name != "Set-Cookie" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	out := map[string]string{}
	for _, name := range names[:min(len(names), headersShown)] {
		v := strings.ToValidUTF8(strings.Join(h[name], ", "), "\uFFFD")
		out[strings.ToLower(name)] = v[:min(len(v), headerShownMax)]
	}
	return out
}

// value gives the body as JSON when it is, else as text. It is written anew: a
// name that comes twice, a NUL or a broken character cannot be stored.
func value(want string, body []byte) json.RawMessage {
	if want != "text" {
		if len(bytes.TrimSpace(body)) == 0 {
			return json.RawMessage("null")
		}
		if v, err := decode(body); err == nil {
			if raw, err := encode(storable(v)); err == nil {
				return raw
			}
		}
	}
	raw, err := encode(storable(string(body)))
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

// storable replaces what Postgres cannot hold inside text.
func storable(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(strings.ToValidUTF8(v, "\uFFFD"), "\x00", "\uFFFD")
	case []any:
		for i := range v {
			v[i] = storable(v[i])
		}
	case map[string]any:
		for name, item := range v {
			if strings.ContainsRune(name, 0) {
				delete(v, name)
				name = strings.ReplaceAll(name, "\x00", "\uFFFD")
			}
			v[name] = storable(item)
		}
	}
	return v
}

// decode reads one JSON value, numbers as they are written.
func decode(raw []byte) (any, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, err //nolint:wrapcheck // only whether it is JSON counts
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, fmt.Errorf("something follows the value")
	}
	return v, nil
}

// encode writes JSON without escaping for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
