package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/engine/guard"
	"signalbox/engine/worker"
)

// HTTP calls web addresses through the guard.
type HTTP struct{ client *guard.Client }

var _ worker.Action = HTTP{}

// NewHTTP makes the action.
func NewHTTP(client *guard.Client) HTTP { return HTTP{client} }

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
	if err := json.Unmarshal(c.Config, &cfg); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The request's configuration cannot be read: "+err.Error())
	}
	req, err := cfg.request(ctx)
	if err != nil {
		return nil, err
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		req.Header.Set("Idempotency-Key", c.Task.Key)
	}
	if cfg.Auth == "credential" {
		secret, err := c.Secret(ctx, cfg.Credential)
		if err != nil {
			return nil, worker.Fail(worker.ClassUnauthorized, fmt.Sprintf("The credential %q cannot be opened.", cfg.Credential))
		}
		name, value, ok := secret.HeaderField()
		if !ok {
			return nil, worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("The credential %q is not one for HTTP requests.", cfg.Credential))
		}
		req.Header.Set(name, value)
	}
	res, err := h.client.Do(req)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := guard.ReadBody(ctx, res.Body)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		return nil, statusFailure(res, body)
	}
	out, err := json.Marshal(httpOutput{Status: res.StatusCode, Headers: flat(res.Header), Body: asJSON(cfg.Response, body)})
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return out, nil
}

// request builds the request without its secret.
func (c *httpConfig) request(ctx context.Context) (*http.Request, error) {
	u, err := url.Parse(c.URL)
	if err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("%.100q is not a web address.", c.URL))
	}
	q := u.Query()
	for name, v := range c.Query {
		q.Set(name, plain(v))
	}
	u.RawQuery = q.Encode()
	var body io.Reader
	contentType := ""
	switch c.BodyType {
	case "json":
		body, contentType = bytes.NewReader(c.Body), "application/json"
	case "text":
		body, contentType = strings.NewReader(plain(c.Body)), "text/plain; charset=utf-8"
	}
	method := c.Method
	if method == "" {
		method = http.MethodGet
	}
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The request cannot be made: "+err.Error())
	}
	req.Header.Set("User-Agent", "Signalbox")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	for name, v := range c.Headers {
		value := plain(v)
		if strings.ContainsAny(name+value, "\r\n\x00") || http.CanonicalHeaderKey(name) == "Host" {
			return nil, worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("The header %.60q cannot be sent.", name))
		}
		req.Header.Set(name, value)
	}
	return req, nil
}

// plain writes a JSON value into a query, a header or a text.
func plain(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

func flat(h http.Header) map[string]string {
	const most = 50
	out := map[string]string{}
	for name := range h {
		if len(out) < most && name != "Set-Cookie" {
			out[strings.ToLower(name)] = h.Get(name)
		}
	}
	return out
}

// asJSON gives the body as JSON when it is, else as text.
func asJSON(want string, body []byte) json.RawMessage {
	if want != "text" && json.Valid(body) {
		return body
	}
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	}
	raw, err := json.Marshal(strings.ReplaceAll(string(body), "\x00", "\uFFFD"))
	if err != nil {
		return json.RawMessage("null")
	}
	return raw
}

func sendFailure(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx) //nolint:wrapcheck // the pool knows why
	case errors.Is(err, guard.ErrAddress):
		return worker.Fail(worker.ClassInvalidInput, innermost(err))
	case errors.Is(err, guard.ErrTooLarge):
		return worker.Fail(worker.ClassLimit, err.Error())
	default:
		return worker.Fail(worker.ClassUnavailable, innermost(err))
	}
}

// innermost drops the address, which may hold what should not be shown.
func innermost(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		return u.Err.Error()
	}
	return err.Error()
}

// statusFailure maps a status to a class; what the other side asks for is
// honored.
func statusFailure(res *http.Response, body []byte) error {
	f := worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("The other side answered %s.", res.Status))
	switch s := res.StatusCode; {
	case s == http.StatusUnauthorized, s == http.StatusForbidden:
		f.Class = worker.ClassUnauthorized
	case s == http.StatusTooManyRequests:
		f.Class = worker.ClassRateLimited
	case s == http.StatusRequestTimeout, s >= http.StatusInternalServerError:
		f.Class = worker.ClassUnavailable
	}
	f.RetryAfter = retryAfter(res.Header.Get("Retry-After"))
	const excerpt = 500
	if t, _, err := mime.ParseMediaType(res.Header.Get("Content-Type")); err == nil && (strings.HasPrefix(t, "text/") || strings.HasSuffix(t, "json")) {
		if len(body) > excerpt {
			body = body[:excerpt]
		}
		if raw, err := json.Marshal(map[string]any{"status": res.StatusCode, "body": string(bytes.ToValidUTF8(body, []byte("\uFFFD")))}); err == nil {
			f.Details = raw
		}
	}
	return f
}

// retryAfterMax bounds what another side may ask for.
const retryAfterMax = time.Hour

func retryAfter(s string) time.Duration {
	if n, err := strconv.Atoi(s); err == nil && n > 0 {
		return min(time.Duration(n)*time.Second, retryAfterMax)
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, min(time.Until(t), retryAfterMax)) //nolint:forbidigo // the other side speaks of the wall clock
	}
	return 0
}
