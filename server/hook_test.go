package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/runtime"
)

// webhook publishes a workflow with one webhook and returns its path.
func (b *browser) webhook(config string) string {
	b.w.t.Helper()
	path := "hook-" + uuid.NewString()
	config = `{"path":"` + path + `",` + strings.TrimPrefix(config, "{")
	nodes := `{"id":"n1","key":"hook","kind":"webhook","config":` + config + `},{"id":"n2","key":"answer","kind":"respond","config":{}}`
	var out struct{ ID string }
	b.json("POST", "/api/workflows", graphJSON(nodes, `{"id":"e1","from":"n1","port":"success","to":"n2"}`)).must(b.w.t, http.StatusCreated).into(b.w.t, &out)
	b.publish(out.ID)
	return "/hooks/" + path
}

const (
	hookSecret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	oldSecret  = "an older secret, still valid"
)

// signed makes the headers of a Standard Webhooks message.
func signed(secret, id string, at time.Time, body string) http.Header {
	key := []byte(secret)
	if text, ok := strings.CutPrefix(secret, "whsec_"); ok {
		decoded, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			panic(err)
		}
		key = decoded
	}
	stamp := strconv.FormatInt(at.Unix(), 10)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + stamp + "." + body))
	return http.Header{
		"Content-Type": {"application/json"}, "Webhook-Id": {id}, "Webhook-Timestamp": {stamp},
		"Webhook-Signature": {"v1,bm90IGl0 v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))},
	}
}

func TestSignedWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Developer)
	b.json("POST", "/api/credentials", map[string]any{"name": "shop", "type": "webhook", "secrets": []string{hookSecret, oldSecret}}).must(t, 200)
	path := b.webhook(`{"auth":"hmac","credential":"shop"}`)
	outside, now := w.browser(), w.clock.now()
	const body = `{"order":1}`

	var first, again struct {
		Run      string
		Existing bool
		Links    struct{ Self, Page string }
	}
	outside.do("POST", path, []byte(body), signed(hookSecret, "msg_1", now, body)).must(t, http.StatusAccepted).into(t, &first)
	if first.Links.Self != w.http.URL+"/api/runs/"+first.Run {
		t.Errorf("got %+v", first)
	}
	// The same message again, as senders do when an answer got lost.
	outside.do("POST", path, []byte(body), signed(hookSecret, "msg_1", now.Add(time.Second), body)).must(t, http.StatusOK).into(t, &again)
	if again.Run != first.Run || !again.Existing || len(w.runs.starts) != 1 {
		t.Errorf("got %+v after %+v", again, first)
	}
	outside.do("POST", path, []byte(body), signed(oldSecret, "msg_2", now, body)).must(t, http.StatusAccepted)

	forge := func(change func(http.Header)) http.Header {
		h := signed(hookSecret, "msg_3", now, body)
		change(h)
		return h
	}
	for name, c := range map[string]struct {
		body   string
		header http.Header
	}{
		"no signature":       {body, http.Header{}},
		"another secret":     {body, signed("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "msg_3", now, body)},
		"a changed body":     {`{"order":2}`, signed(hookSecret, "msg_3", now, body)},
		"one more space":     {body + " ", signed(hookSecret, "msg_3", now, body)},
		"a truncated body":   {body[:5], signed(hookSecret, "msg_3", now, body)},
		"another id":         {body, forge(func(h http.Header) { h.Set("Webhook-Id", "msg_4") })},
		"another time":       {body, forge(func(h http.Header) { h.Set("Webhook-Timestamp", strconv.FormatInt(now.Unix()+1, 10)) })},
		"too old":            {body, signed(hookSecret, "msg_3", now.Add(-5*time.Minute-2*time.Second), body)},
		"too new":            {body, signed(hookSecret, "msg_3", now.Add(5*time.Minute+2*time.Second), body)},
		"no number as time":  {body, forge(func(h http.Header) { h.Set("Webhook-Timestamp", "now") })},
		"no id":              {body, forge(func(h http.Header) { h.Del("Webhook-Id") })},
		"an empty signature": {body, forge(func(h http.Header) { h.Set("Webhook-Signature", "v1,") })},
		"another version": {body, forge(func(h http.Header) {
			h.Set("Webhook-Signature", strings.ReplaceAll(h.Get("Webhook-Signature"), "v1,", "v1a,"))
		})},
		"the dots moved":      {body, forge(func(h http.Header) { h.Set("Webhook-Id", "msg_3."+h.Get("Webhook-Timestamp")) })},
		"a bearer token":      {body, http.Header{"Authorization": {"Bearer " + hookSecret}}},
		"our own API token":   {body, http.Header{"Authorization": {"Bearer " + b.token}}},
		"half of a signature": {body, forge(func(h http.Header) { h.Set("Webhook-Signature", h.Get("Webhook-Signature")[:30]) })},
		"signature as bearer": {body, forge(func(h http.Header) { h.Set("Authorization", h.Get("Webhook-Signature")); h.Del("Webhook-Signature") })},
	} {
		if got := outside.do("POST", path, []byte(c.body), c.header); got.status != http.StatusUnauthorized {
			t.Errorf("%s: %d %s", name, got.status, got.text)
		}
	}
	if len(w.runs.starts) != 2 {
		t.Errorf("%d runs were started", len(w.runs.starts))
	}
}

func TestBearerWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Developer)
	b.json("POST", "/api/credentials", map[string]any{"name": "robot", "type": "bearer", "token": "robot-token"}).must(t, 200)
	path := b.webhook(`{"auth":"bearer","credential":"robot"}`)
	for token, want := range map[string]int{"Bearer robot-token": 202, "Bearer robot-toke": 401, "Bearer robot-token2": 401, "Bearer ": 401, "robot-token": 401, "Basic robot-token": 401, "": 401} {
		if got := w.browser().do("POST", path, []byte("{}"), http.Header{"Authorization": {token}}); got.status != want {
			t.Errorf("%q: %d %s", token, got.status, got.text)
		}
	}
	// A credential that is gone lets nobody in.
	var list struct{ Credentials []struct{ ID string } }
	b.get("/api/credentials").into(t, &list)
	b.do("DELETE", "/api/credentials/"+list.Credentials[0].ID, nil, nil).must(t, http.StatusNoContent)
	w.browser().do("POST", path, []byte("{}"), http.Header{"Authorization": {"Bearer robot-token"}}).must(t, 401)
}

func TestUncheckedWebhookAnswersThisMachineOnly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.member("main", account.Editor).webhook(`{"auth":"none"}`)
	b := w.browser()
	b.json("POST", path, `{"a":1}`).must(t, http.StatusAccepted)
	b.do("POST", path, []byte("{}"), http.Header{"X-Forwarded-For": {"203.0.113.9"}}).must(t, http.StatusForbidden)
	b.do("POST", path, []byte("{}"), http.Header{"Origin": {"https://evil.example"}, "Sec-Fetch-Site": {"cross-site"}}).must(t, http.StatusForbidden)
	b.do("POST", path, []byte("{}"), http.Header{"Origin": {"https://evil.example"}}).must(t, http.StatusForbidden)
}

func TestWebhookBodies(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	path := w.member("main", account.Editor).webhook(`{"auth":"none","max_bytes":1000,"methods":["POST","PUT"]}`)
	b := w.browser()
	for name, c := range map[string]struct {
		method, kind, body string
		status             int
		input              string
	}{
		"JSON":                     {"POST", "application/json", `{"a": 9007199254740993}`, 202, `{"a": 9007199254740993}`},
		"JSON of another name":     {"PUT", "application/cloudevents+json; charset=utf-8", `[1]`, 202, `[1]`},
		"nothing":                  {"POST", "application/json", ``, 202, `{}`},
		"no type":                  {"POST", "", `{"a":1}`, 202, `{"a":1}`},
		"a form":                   {"POST", "application/x-www-form-urlencoded", `a=1&b=x&b=y`, 202, `{"a":"1","b":["x","y"]}`},
		"text":                     {"POST", "text/plain", `{"a":1}`, 202, `"{\"a\":1}"`},
		"a type that lies":         {"POST", "application/json", `a=1`, 422, ""},
		"duplicate keys":           {"POST", "application/json", `{"a":1,"a":2}`, 422, ""},
		"NUL":                      {"POST", "application/json", `{"a":"\u0000"}`, 422, ""},
		"invalid UTF-8":            {"POST", "application/json", "{\"a\":\"\xff\"}", 422, ""},
		"deep":                     {"POST", "application/json", strings.Repeat("[", 480) + strings.Repeat("]", 480), 202, strings.Repeat("[", 480) + strings.Repeat("]", 480)},
		"truncated":                {"POST", "application/json", `{"a":`, 422, ""},
		"two values":               {"POST", "application/json", `{} {}`, 422, ""},
		"invalid text":             {"POST", "text/plain", "\xff", 422, ""},
		"another type":             {"POST", "multipart/form-data; boundary=x", "--x--", 415, ""},
		"an unreadable type":       {"POST", "a/b/c;;", "x", 422, ""},
		"too large":                {"POST", "application/json", `"` + strings.Repeat("x", 1000) + `"`, 413, ""},
		"just not too large":       {"POST", "application/json", `"` + strings.Repeat("x", 998) + `"`, 202, `"` + strings.Repeat("x", 998) + `"`},
		"a method that is not let": {"DELETE", "application/json", `{}`, 405, ""},
		"reading":                  {"GET", "", ``, 405, ""},
	} {
		before := len(w.runs.starts)
		h := http.Header{}
		if c.kind != "" {
			h.Set("Content-Type", c.kind)
		}
		res := b.do(c.method, path, []byte(c.body), h)
		if res.status != c.status {
			t.Errorf("%s: %d %s", name, res.status, res.text)
			continue
		}
		if c.status >= 400 {
			if got := res.header.Get("Content-Type"); got != "application/problem+json" || len(w.runs.starts) != before {
				t.Errorf("%s: %s, %d runs", name, got, len(w.runs.starts)-before)
			}
			continue
		}
		if got := string(w.runs.starts[before].Input); got != c.input {
			t.Errorf("%s: the run got %s", name, got)
		}
	}
	if got := b.get(path).header.Get("Allow"); got != "POST, PUT" {
		t.Errorf("Allow: %q", got)
	}
	b.do("POST", path, []byte("\x1f\x8b"), http.Header{"Content-Encoding": {"gzip"}}).must(t, http.StatusUnsupportedMediaType)
	b.json("POST", "/hooks/no-such-path", `{}`).must(t, http.StatusNotFound)
}

func TestWebhookDedupe(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	path := b.webhook(`{"auth":"none","dedupe":"input.id"}`)
	b.json("POST", path, `{"id":"A"}`).must(t, http.StatusAccepted)
	b.json("POST", path, `{"id":"A","more":1}`).must(t, http.StatusOK)
	b.json("POST", path, `{"id":"B"}`).must(t, http.StatusAccepted)
	b.json("POST", path, `{"id":7}`).must(t, http.StatusAccepted)
	b.json("POST", path, `{}`).must(t, http.StatusUnprocessableEntity)
	header := http.Header{"Idempotency-Key": {"k1"}}
	plain := b.webhook(`{"auth":"none"}`)
	b.do("POST", plain, []byte("{}"), header).must(t, http.StatusAccepted)
	b.do("POST", plain, []byte("{}"), header).must(t, http.StatusOK)
	b.do("POST", plain, []byte("{}"), http.Header{"Idempotency-Key": {strings.Repeat("k", 300)}}).must(t, http.StatusUnprocessableEntity)
}

func TestWebhookAnswers(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	byNode, atEnd := b.webhook(`{"auth":"none","respond":"by_node"}`), b.webhook(`{"auth":"none","respond":"at_end"}`)

	w.runs.answer = &runtime.Answer{Status: 201, Body: json.RawMessage(`{"case":1}`), Run: runtime.StatusRunning, Headers: map[string]string{
		"X-Case": "1", "Set-Cookie": "sb=evil", "Content-Security-Policy": "default-src *", "Access-Control-Allow-Origin": "*", "x-bad": "a\r\nSet-Cookie: b",
	}}
	res := b.json("POST", byNode, `{}`).must(t, 201)
	if res.text != `{"case":1}` || res.header.Get("X-Case") != "1" || res.header.Get("Set-Cookie") != "" || res.header.Get("Access-Control-Allow-Origin") != "" || res.header.Get("X-Bad") != "" {
		t.Errorf("got %s with %v", res.text, res.header)
	}
	// HTML is sent as text that runs nothing.
	w.runs.answer = &runtime.Answer{Status: 200, Body: json.RawMessage(`"<script>alert(1)</script>"`), Headers: map[string]string{"content-type": "text/html"}}
	res = b.json("POST", byNode, `{}`).must(t, 200)
	if res.text != "<script>alert(1)</script>" || !strings.HasPrefix(res.header.Get("Content-Security-Policy"), "sandbox;") {
		t.Errorf("got %s with %v", res.text, res.header)
	}
	w.runs.answer = &runtime.Answer{Body: json.RawMessage(`{"result":true}`), Run: runtime.StatusSucceeded}
	if got := b.json("POST", atEnd, `{}`).must(t, 200).text; got != `{"result":true}` {
		t.Errorf("got %s", got)
	}
	w.runs.answer = &runtime.Answer{Run: runtime.StatusFailed}
	for _, path := range []string{atEnd, byNode} {
		b.json("POST", path, `{}`).must(t, http.StatusBadGateway)
	}
	// An answer that does not come in time is a promise.
	w.runs.answer, w.runs.silent = nil, true
	contains(t, b.json("POST", byNode, `{}`).must(t, http.StatusAccepted).text, `"links"`)
}

func TestStoppedWorkflowsDoNotAnswer(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("support-ticket-triage")
	b.json("POST", "/hooks/demo-ticket", `{}`).must(t, http.StatusNotFound)
	b.publish(id)
	b.json("POST", "/hooks/demo-ticket", `{"subject":"x"}`).must(t, http.StatusAccepted)
	b.json("PATCH", "/api/workflows/"+id, `{"active":false}`).must(t, 200)
	b.json("POST", "/hooks/demo-ticket", `{}`).must(t, http.StatusNotFound)
	b.json("PATCH", "/api/workflows/"+id, `{"active":true}`).must(t, 200)
	b.json("POST", "/hooks/demo-ticket", `{}`).must(t, http.StatusAccepted)
	b.do("DELETE", "/api/workflows/"+id, nil, nil).must(t, http.StatusNoContent)
	b.json("POST", "/hooks/demo-ticket", `{}`).must(t, http.StatusNotFound)
}

// Guessing paths or signatures gets slow.
func TestRefusedCallsAreLimited(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.browser()
	last := 0
	for i := range 70 {
		last = b.json("POST", fmt.Sprintf("/hooks/guess-%d", i), `{}`).status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the 70th guess is answered with %d", last)
	}
}
