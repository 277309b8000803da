package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/account"
	"signalbox/engine/pg/pgtest"
)

// line connects hubs as NATS does: every end hears the others.
type line struct {
	mu   sync.Mutex
	ends []*lineEnd
	deaf atomic.Bool // notices are lost
}

type lineEnd struct {
	line *line
	fn   func(string, []byte)
}

func (e *lineEnd) Publish(topic string, data []byte) error {
	e.line.mu.Lock()
	defer e.line.mu.Unlock()
	for _, o := range e.line.ends {
		if o != e && o.fn != nil && !e.line.deaf.Load() {
			o.fn(topic, data)
		}
	}
	return nil
}

func (e *lineEnd) Subscribe(_ string, fn func(string, []byte)) (func(), error) {
	e.line.mu.Lock()
	defer e.line.mu.Unlock()
	e.fn = fn
	return func() {}, nil
}

// twoServers are two servers on one database that hear each other.
func twoServers(t *testing.T) (here, there *world, l *line) {
	t.Helper()
	db := pgtest.Open(t)
	l = &line{}
	var worlds []*world
	r := newRuns()
	for range 2 {
		w := newWorldOf(t, db, parts{r, r, r, r, 300 * time.Millisecond})
		w.runs = r
		e := &lineEnd{line: l}
		l.ends = append(l.ends, e)
		if err := w.hub.Join(e); err != nil {
			t.Fatal(err)
		}
		worlds = append(worlds, w)
	}
	return worlds[0], worlds[1], l
}

// at is the same client at another server.
func (b *browser) at(w *world) *browser { return &browser{w, b.client, b.token, b.header} }

func TestEditsOnOneServerShowOnTheOther(t *testing.T) {
	t.Parallel()
	here, there, l := twoServers(t)
	b := here.member("main", account.Editor)
	id := b.template("reminder")
	topic := "draft:" + id
	one, two := b.tab(), b.at(there).tab()
	one.sub(topic, 0)
	two.sub(topic, 0)
	add := func(to *browser, base int, node string) string {
		first := uuid.New()
		to.json("POST", "/api/workflows/"+id+"/ops", batch(first, base, `{"op":"node.add","id":"`+node+`","value":{"key":"`+node+`","kind":"set","config":{"fields":{}},"x":8,"y":8}}`)).must(t, 200)
		return first.String()
	}
	both := func(seq int, id string) {
		t.Helper()
		for _, k := range []*tab{one, two} {
			if m := k.next(); m.T != "op" || m.Seq != seq || m.Batch != id {
				t.Fatalf("got %+v instead of operation %d", m, seq)
			}
		}
	}
	both(1, add(b, 0, "a"))
	both(2, add(b.at(there), 1, "b"))
	l.deaf.Store(true) // a lost notice is made good with the next one
	lost := add(b, 2, "c")
	if m := one.next(); m.Seq != 3 || m.Batch != lost {
		t.Fatalf("%+v", m)
	}
	l.deaf.Store(false)
	last := add(b, 3, "d")
	if m := two.next(); m.Seq != 3 || m.Batch != lost {
		t.Fatalf("%+v", m)
	}
	if m := one.next(); m.Seq != 4 || m.Batch != last {
		t.Fatalf("%+v", m)
	}
	if m := two.next(); m.Seq != 4 || m.Batch != last {
		t.Fatalf("%+v", m)
	}
	one.send(map[string]any{"t": "presence", "topic": topic, "x": 4.5, "y": -1, "selection": []string{"a"}})
	if m := two.next(); m.T != "presence" || m.X != 4.5 || m.By.Name != "editor" {
		t.Errorf("%+v", m)
	}
	_ = one.conn.Close()
	if m := two.next(); m.T != "presence" || !m.Gone {
		t.Errorf("%+v", m)
	}
	b.do("DELETE", "/api/workflows/"+id, nil, nil).must(t, http.StatusNoContent)
	if m := two.next(); m.T != "gone" || m.Why != "deleted" {
		t.Errorf("%+v", m)
	}
}

// TestLostRightsCloseSocketsEverywhere takes rights away on one server from
// sockets that are open on the other.
func TestLostRightsCloseSocketsEverywhere(t *testing.T) {
	t.Parallel()
	here, there, _ := twoServers(t)
	owner := here.owner()
	cut := func(what string, k *tab, do func()) {
		t.Helper()
		began := time.Now()
		do()
		if code := k.closed(); code != 4403 || time.Since(began) > 5*time.Second {
			t.Errorf("%s: closed with %d after %s", what, code, time.Since(began))
		}
	}

	id := owner.template("reminder")
	var started struct{ Run struct{ ID uuid.UUID } }
	owner.json("POST", "/api/workflows/"+id+"/runs", `{"version":"draft"}`).must(t, http.StatusAccepted).into(t, &started)
	var sh struct{ Share struct{ ID, URL string } }
	owner.json("POST", "/api/shares", map[string]any{"target": "run", "id": started.Run.ID}).must(t, http.StatusCreated).into(t, &sh)
	var ticket struct{ Ticket string }
	page := strings.TrimPrefix(sh.Share.URL, here.http.URL)
	here.browser().json("POST", page+"/ticket", "{}").must(t, http.StatusOK).into(t, &ticket)
	cut("a revoked link", there.tab(ticket.Ticket), func() {
		owner.do("DELETE", "/api/shares/"+sh.Share.ID, nil, nil).must(t, http.StatusNoContent)
	})

	var token struct{ Token struct{ ID, Token string } }
	owner.json("POST", "/api/tokens", map[string]any{"name": "ci", "role": "viewer"}).must(t, http.StatusOK).into(t, &token)
	program := there.browser()
	program.token = token.Token.Token
	cut("a deleted token", program.tab(), func() {
		owner.do("DELETE", "/api/tokens/"+token.Token.ID, nil, nil).must(t, http.StatusNoContent)
	})
	program.get("/api/me").must(t, http.StatusUnauthorized)

	cut("a session that ended", owner.at(there).tab(), func() { owner.form("/logout", url.Values{}).must(t, http.StatusSeeOther) })
	owner.at(there).get("/api/me").must(t, http.StatusUnauthorized)
}

// TestATicketOpensOneSocketOnAnyServer uses one ticket on both servers at once.
func TestATicketOpensOneSocketOnAnyServer(t *testing.T) {
	t.Parallel()
	here, there, _ := twoServers(t)
	b := here.member("main", account.Viewer)
	var out struct{ Ticket string }
	b.json("POST", "/api/ticket", "{}").must(t, http.StatusOK).into(t, &out)
	var opened atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		w := []*world{here, there}[i%2]
		wg.Go(func() {
			conn, res, err := w.dial(http.Header{"Origin": {w.http.URL}})
			if err != nil {
				t.Error(err)
				return
			}
			defer func() { _ = conn.Close() }()
			_ = res.Body.Close()
			k := &tab{t, conn}
			if err := conn.WriteJSON(map[string]any{"t": "auth", "ticket": out.Ticket}); err != nil {
				t.Error(err)
				return
			}
			if m, err := k.read(); err == nil && m.T == "hello" {
				opened.Add(1)
			}
		})
	}
	wg.Wait()
	if n := opened.Load(); n != 1 {
		t.Errorf("one ticket opened %d sockets", n)
	}
}
