package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/websocket"

	"signalbox/engine/account"
	"signalbox/engine/draft"
	"signalbox/engine/runtime/brief"
)

// tab is one open socket of a test.
type tab struct {
	t    *testing.T
	conn *websocket.Conn
}

// wire is any message of the server.
type wire struct {
	T       string
	V       int
	Topic   string
	Why     string
	Message string
	From    int
	To      int
	Seq     int
	Batch   string
	ID      string
	By      draft.Person
	X, Y    float64
	Gone    bool
	Field   string
	E       []brief.Brief
}

func (w *world) dial(header http.Header) (*websocket.Conn, *http.Response, error) {
	dialer := websocket.Dialer{HandshakeTimeout: 5 * time.Second}
	return dialer.DialContext(context.Background(), "ws"+strings.TrimPrefix(w.http.URL, "http")+"/ws", header)
}

// tab opens a socket with a ticket of the client.
func (b *browser) tab() *tab {
	b.w.t.Helper()
	var out struct{ Ticket string }
	b.json("POST", "/api/ticket", "{}").must(b.w.t, http.StatusOK).into(b.w.t, &out)
	return b.w.tab(out.Ticket)
}

func (w *world) tab(ticket string) *tab {
	w.t.Helper()
	conn, res, err := w.dial(http.Header{"Origin": {w.http.URL}})
	if err != nil {
		w.t.Fatal(err)
	}
	_ = res.Body.Close()
	k := &tab{w.t, conn}
	w.t.Cleanup(func() { _ = conn.Close() })
	k.send(map[string]any{"t": "auth", "ticket": ticket})
	if m := k.next(); m.T != "hello" || m.V != 1 {
		w.t.Fatalf("got %+v instead of hello", m)
	}
	return k
}

func (k *tab) send(v any) {
	k.t.Helper()
	if err := k.conn.WriteJSON(v); err != nil {
		k.t.Fatal(err)
	}
}

func (k *tab) sub(topic string, after int) {
	k.t.Helper()
	k.send(map[string]any{"t": "sub", "topic": topic, "after": after})
}

func (k *tab) read() (wire, error) {
	_ = k.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
	_, raw, err := k.conn.ReadMessage()
	if err != nil {
		return wire{}, err
	}
	var m wire
	return m, json.Unmarshal(raw, &m)
}

func (k *tab) next() wire {
	k.t.Helper()
	m, err := k.read()
	if err != nil {
		k.t.Fatal(err)
	}
	return m
}

// closed reads until the server ends the socket and returns the code.
func (k *tab) closed() int {
	k.t.Helper()
	for {
		_, err := k.read()
		var c *websocket.CloseError
		if asClose(err, &c) {
			return c.Code
		}
		if err != nil {
			k.t.Fatalf("the socket ended with %v instead of a close frame", err)
		}
	}
}

func asClose(err error, into **websocket.CloseError) bool {
	c, ok := err.(*websocket.CloseError) //nolint:errorlint // the library returns it bare
	*into = c
	return ok
}

// upTo reads events until a number and fails on any gap or repeat.
func (k *tab) upTo(after, last int) {
	k.t.Helper()
	for want := after + 1; want <= last; {
		m := k.next()
		if m.T != "ev" {
			k.t.Fatalf("got %+v while waiting for event %d", m, want)
		}
		for _, e := range m.E {
			if e.Seq == 0 {
				continue
			}
			if e.Seq != want {
				k.t.Fatalf("got event %d, want %d", e.Seq, want)
			}
			want++
		}
	}
}

func TestSocketOrigins(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for name, header := range map[string]http.Header{
		"none":           {},
		"another site":   {"Origin": {"https://evil.example"}},
		"another scheme": {"Origin": {strings.Replace(w.http.URL, "http:", "https:", 1)}},
		"another port":   {"Origin": {"http://127.0.0.1:1"}},
		"a prefix":       {"Origin": {w.http.URL + ".evil.example"}},
		"null":           {"Origin": {"null"}},
		"two":            {"Origin": {w.http.URL, "https://evil.example"}},
		"upper case":     {"Origin": {strings.ToUpper(w.http.URL)}},
	} {
		conn, res, err := w.dial(header)
		if err == nil {
			_ = conn.Close()
			t.Errorf("%s: the socket opened", name)
			continue
		}
		if res == nil || res.StatusCode != http.StatusForbidden {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTicketWorksOnceAndBriefly(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	issue := func() string {
		var out struct{ Ticket string }
		b.json("POST", "/api/ticket", "{}").must(t, 200).into(t, &out)
		return out.Ticket
	}
	refused := func(first any) {
		t.Helper()
		conn, res, err := w.dial(http.Header{"Origin": {w.http.URL}})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_ = res.Body.Close()
		k := &tab{t, conn}
		k.send(first)
		if code := k.closed(); code != 4401 {
			t.Errorf("%v: closed with %d", first, code)
		}
	}
	used := issue()
	w.tab(used)
	refused(map[string]string{"t": "auth", "ticket": used})
	late := issue()
	w.clock.advance(30 * time.Second)
	refused(map[string]string{"t": "auth", "ticket": late})
	refused(map[string]string{"t": "auth", "ticket": "AAAAAAAAAAAAAAAAAAAAAAAAAA"})
	refused(map[string]string{"t": "auth"})
	refused(map[string]string{"t": "sub", "topic": "run:" + uuid.NewString()})
	refused("auth")
}

// The heart of the live trace: whatever gets lost on the way, the browser sees
// 1..n without gap or repeat.
func TestSocketFillsHolesFromTheStore(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	run := w.runs.add("main")
	topic := "run:" + run.String()
	event := brief.Brief{Type: "NodeCompleted", Node: "a"}
	for range 1_200 { // more than one page of the past
		w.runs.write(run, event, false)
	}
	k := b.tab()
	k.sub(topic, 0)
	k.upTo(0, 1_200)
	w.runs.write(run, event, true)
	k.upTo(1_200, 1_201)
	w.runs.write(run, event, false) // lost on the way
	w.runs.write(run, event, false)
	w.runs.write(run, event, true)
	k.upTo(1_201, 1_204)
	// Somebody who comes back with a number gets what is behind it.
	again := b.tab()
	again.sub(topic, 1_203)
	again.upTo(1_203, 1_204)
	// From the future: nothing until something new comes.
	ahead := b.tab()
	ahead.sub(topic, 1_205)
	w.runs.write(run, event, true)
	w.runs.write(run, event, true)
	ahead.upTo(1_205, 1_206)
	k.upTo(1_204, 1_206)
	again.upTo(1_204, 1_206)
	// What is live only travels beside the numbers.
	w.runs.progress(run, "half a sentence")
	if m := k.next(); m.T != "ev" || m.E[0].Seq != 0 || m.E[0].Text != "half a sentence" {
		t.Errorf("got %+v", m)
	}
	// The same topic again starts over.
	k.sub(topic, 1_200)
	k.upTo(1_200, 1_206)
}

// An event that is lost at the very end is found without another one.
func TestSocketFindsALostLastEvent(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	run := w.runs.add("main")
	k := b.tab()
	k.sub("run:"+run.String(), 0)
	w.runs.write(run, brief.Brief{Type: "RunStarted"}, true)
	k.upTo(0, 1)
	w.runs.write(run, brief.Brief{Type: "RunSucceeded"}, false)
	k.upTo(1, 2)
}

func TestManyWritersManyReaders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	run := w.runs.add("main")
	const events, readers = 3_000, 8
	done := make(chan error, readers)
	for i := range readers {
		k := b.tab()
		k.sub("run:"+run.String(), 0)
		go func() {
			want := 1
			for want <= events {
				m, err := k.read()
				if err != nil {
					done <- fmt.Errorf("reader %d at %d: %w", i, want, err)
					return
				}
				if m.T == "gap" {
					if m.From != want {
						done <- fmt.Errorf("reader %d: a gap from %d, want %d", i, m.From, want)
						return
					}
					want = m.To + 1
					continue
				}
				for _, e := range m.E {
					if e.Seq != want {
						done <- fmt.Errorf("reader %d got %d, want %d", i, e.Seq, want)
						return
					}
					want++
				}
			}
			done <- nil
		}()
	}
	for i := range events {
		w.runs.write(run, brief.Brief{Type: "NodeCompleted"}, i%7 != 0)
	}
	w.runs.write(run, brief.Brief{Type: "RunSucceeded"}, true)
	for range readers {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestSocketShowsOnlyWhatTheMemberMaySee(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ours, theirs := w.member("main", account.Editor), w.member("other", account.Owner)
	run, id := w.runs.add("main"), ours.template("reminder")
	k := theirs.tab()
	for _, topic := range []string{"run:" + run.String(), "draft:" + id, "run:" + uuid.NewString(), "stats", "run:x", "run:" + strings.ToUpper(run.String()), "share:" + id, ""} {
		k.sub(topic, 0)
		if m := k.next(); m.T != "error" {
			t.Errorf("%q: got %+v", topic, m)
		}
	}
	for _, raw := range []string{`{`, `{"t":"sub","t":"sub"}`, `{"t":"fly"}`, `[]`, strings.Repeat("[", 100)} {
		if err := k.conn.WriteMessage(websocket.TextMessage, []byte(raw)); err != nil {
			t.Fatal(err)
		}
		if m := k.next(); m.T != "error" {
			t.Errorf("%s: got %+v", raw, m)
		}
	}
	// The server stops reading in the middle of a frame that is too large, so
	// that its goodbye may be overtaken by the end of the connection.
	_ = k.conn.WriteMessage(websocket.TextMessage, make([]byte, 70<<10))
	if m, err := k.read(); err == nil {
		t.Errorf("a frame of 70 KB is answered with %+v", m)
	}
}

func TestCoEditing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Editor)
	id := b.template("reminder")
	topic, url := "draft:"+id, "/api/workflows/"+id+"/ops"
	move := func(x int) string {
		return batch(uuid.New(), 0, fmt.Sprintf(`{"op":"node.move","id":"n_ask","value":{"x":%d,"y":0}}`, x))
	}
	b.json("POST", url, move(8)).must(t, 200)
	one, two := b.tab(), b.tab()
	for _, k := range []*tab{one, two} {
		k.sub(topic, 0)
		if m := k.next(); m.T != "op" || m.Seq != 1 || m.Topic != topic {
			t.Errorf("the past is %+v", m)
		}
	}
	b.json("POST", url, move(16)).must(t, 200)
	for _, k := range []*tab{one, two} {
		if m := k.next(); m.T != "op" || m.Seq != 2 || m.By.Name != "editor" {
			t.Errorf("got %+v", m)
		}
	}
	// A cursor goes to the others, not back.
	one.send(map[string]any{"t": "presence", "topic": topic, "x": 4.5, "y": -1, "selection": []string{"n_ask"}, "field": "n_ask/config/title"})
	if m := two.next(); m.T != "presence" || m.X != 4.5 || m.By.Name != "editor" || m.Field != "n_ask/config/title" {
		t.Errorf("got %+v", m)
	}
	_ = one.conn.Close()
	if m := two.next(); m.T != "presence" || !m.Gone {
		t.Errorf("got %+v after the other one left", m)
	}
	b.do("DELETE", "/api/workflows/"+id, nil, nil).must(t, http.StatusNoContent)
	if m := two.next(); m.T != "gone" || m.Why != "deleted" {
		t.Errorf("got %+v after the workflow was deleted", m)
	}
}

// A reader that takes nothing is cut off; nobody else notices.
func TestStalledReaderIsCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.member("main", account.Viewer)
	run := w.runs.add("main")
	stalled, lively := b.tab(), b.tab()
	stalled.sub("run:"+run.String(), 0)
	lively.sub("run:"+run.String(), 0)
	// Long texts fill the buffers of the kernel quickly.
	event := brief.Brief{Type: "TaskFailed", Node: "a", Error: &brief.Error{Class: "x", Message: strings.Repeat("x", 8_000)}}
	const rounds, each = 300, 10
	slowest := time.Duration(0)
	for i := range rounds {
		for range each {
			w.runs.write(run, event, true)
		}
		began := time.Now()
		lively.upTo(i*each, (i+1)*each)
		slowest = max(slowest, time.Since(began))
	}
	if slowest > 4*time.Second {
		t.Errorf("the stalled reader held the other one up for %v", slowest)
	}
	deadline := time.Now().Add(20 * time.Second)
	for w.hub.Sockets() != 1 {
		if time.Now().After(deadline) {
			t.Fatal("the stalled reader is still connected")
		}
		lively.send(map[string]any{"t": "unsub", "topic": "run:" + uuid.NewString()})
		select {
		case <-t.Context().Done():
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestRevokedPeopleAreCutOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	b := w.owner()
	run := w.runs.add("main")
	var sh struct{ Share struct{ ID, URL string } }
	b.json("POST", "/api/shares", map[string]any{"target": "run", "id": run, "expires_in": "1h"}).must(t, http.StatusNotFound)
	id := b.template("reminder")
	var started struct{ Run struct{ ID uuid.UUID } }
	b.json("POST", "/api/workflows/"+id+"/runs", `{"version":"draft"}`).must(t, http.StatusAccepted).into(t, &started)
	run = started.Run.ID
	b.json("POST", "/api/shares", map[string]any{"target": "run", "id": run, "expires_in": "1h"}).must(t, http.StatusCreated).into(t, &sh)
	page := strings.TrimPrefix(sh.Share.URL, w.http.URL)

	guest := w.browser()
	var out struct{ Ticket string }
	guest.json("POST", page+"/ticket", "{}").must(t, 200).into(t, &out)
	k := w.tab(out.Ticket)
	for _, topic := range []string{"draft:" + id, "run:" + w.runs.add("main").String()} {
		k.sub(topic, 0)
		if m := k.next(); m.T != "error" {
			t.Errorf("a guest sees %s: %+v", topic, m)
		}
	}
	k.sub("run:"+run.String(), 0)
	w.runs.write(run, brief.Brief{Type: "TaskFailed", Node: "compose", Worker: "host-canary", By: "canary", Error: &brief.Error{Class: "x", Message: "canary"}}, true)
	m := k.next()
	if m.T != "ev" || m.E[0].Error.Class != "x" || m.E[0].Error.Message != "" || m.E[0].Worker != "" || m.E[0].By != "" {
		t.Errorf("a guest gets %+v", m)
	}
	began := time.Now()
	b.do("DELETE", "/api/shares/"+sh.Share.ID, nil, nil).must(t, http.StatusNoContent)
	if m := k.next(); m.T != "gone" || m.Why != "revoked" {
		t.Errorf("got %+v", m)
	}
	if code := k.closed(); code != 4403 || time.Since(began) > 5*time.Second {
		t.Errorf("closed with %d after %v", code, time.Since(began))
	}
	guest.json("POST", page+"/ticket", "{}").must(t, http.StatusNotFound)

	mine := b.tab()
	b.form("/logout", nil).must(t, http.StatusSeeOther)
	if code := mine.closed(); code != 4403 {
		t.Errorf("after logging out the socket closes with %d", code)
	}
}
