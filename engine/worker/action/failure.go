package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/guard"
	"signalbox/engine/worker"
)

const (
	retryAfterMax = time.Hour // that another side may ask for
	excerptMax    = 1_000     // bytes of an error answer that are kept
	reasonMax     = 300       // characters of its own words in the sentence
)

// sendFailure gives a class to a request that got no answer.
func sendFailure(ctx context.Context, err error) error {
	var refused *guard.Refusal
	var dns *net.DNSError
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx) //nolint:wrapcheck // the pool knows its own causes
	case errors.As(err, &refused):
		return worker.Fail(worker.ClassInvalidInput, sentence(refused.Reason))
	case errors.Is(err, guard.ErrTooLarge):
		return worker.Fail(worker.ClassLimit, fmt.Sprintf("The answer is larger than %d bytes.", guard.BodyMax))
	case errors.As(err, &dns) && dns.IsNotFound:
		return worker.Fail(worker.ClassUnavailable, fmt.Sprintf("There is no host named %.80q.", dns.Name))
	default:
		return worker.Fail(worker.ClassUnavailable, sentence(err.Error()))
	}
}

// sentence makes one of what a lower layer says.
func sentence(s string) string {
	if s == "" {
		return "It failed without saying why."
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// statusFailure maps an answer's status to a class. How long the other side
// asks to wait is passed on.
func statusFailure(res *http.Response, body []byte) error {
	f := worker.Fail(statusClass(res.StatusCode), fmt.Sprintf("%s answered %s.", res.Request.URL.Host, res.Status))
	if reason := reasonOf(body); reason != "" {
		f.Message = fmt.Sprintf("%s answered %s: %s", res.Request.URL.Host, res.Status, reason)
	}
	f.RetryAfter = retryAfter(res.Header.Get("Retry-After"))
	excerpt, _ := storable(string(body[:min(len(body), excerptMax)])).(string)
	if raw, err := encode(map[string]any{"status": res.StatusCode, "body": excerpt}); err == nil {
		f.Details = raw
	}
	return f
}

func statusClass(status int) string {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return worker.ClassUnauthorized
	case status == http.StatusTooManyRequests:
		return worker.ClassRateLimited
	case status == http.StatusRequestTimeout, status == http.StatusTooEarly, status >= http.StatusInternalServerError:
		return worker.ClassUnavailable
	default:
		return worker.ClassInvalidInput
	}
}

// reasonOf finds the words of an error answer where most services put them.
func reasonOf(body []byte) string {
	var e struct {
		Error   json.RawMessage `json:"error"`
		Message string          `json:"message"`
		Detail  string          `json:"detail"`
	}
	if json.Unmarshal(body, &e) != nil {
		return ""
	}
	var inner struct {
		Message string `json:"message"`
	}
	reason := ""
	switch {
	case json.Unmarshal(e.Error, &inner) == nil && inner.Message != "":
		reason = inner.Message
	case json.Unmarshal(e.Error, &reason) == nil && reason != "":
	case e.Detail != "":
		reason = e.Detail
	default:
		reason = e.Message
	}
	if r := []rune(reason); len(r) > reasonMax {
		reason = string(r[:reasonMax]) + "…"
	}
	return reason
}

// retryAfter reads seconds or a date.
func retryAfter(s string) time.Duration {
	if n, err := strconv.Atoi(s); err == nil {
		return min(time.Duration(max(0, min(n, 1_000_000)))*time.Second, retryAfterMax)
	}
	if t, err := http.ParseTime(s); err == nil {
		return max(0, min(time.Until(t), retryAfterMax)) //nolint:forbidigo // the other side speaks of the wall clock
	}
	return 0
}
