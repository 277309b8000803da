package server_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"

	"signalbox/engine/account"
	"signalbox/engine/audit"
	"signalbox/engine/bulk"
	"signalbox/engine/casebook"
	"signalbox/engine/comment"
	"signalbox/engine/draft"
	"signalbox/engine/gallery"
	"signalbox/engine/inbox"
	"signalbox/engine/pg"
	"signalbox/engine/pg/pgtest"
	"signalbox/engine/proposal"
	"signalbox/engine/review"
	"signalbox/engine/routing"
	"signalbox/engine/share"
	"signalbox/engine/vault"
	"signalbox/engine/worker/local"
	"signalbox/engine/worker/remote"
	"signalbox/server"
)

const (
	ownerEmail    = "ada@example.org"
	ownerPassword = "a long enough password"
)

// world is one server with its database and everything that a test touches.
type world struct {
	t        *testing.T
	db       *pg.DB
	pool     *pgxpool.Pool
	hub      *server.Hub
	server   *server.Server
	http     *httptest.Server
	runs     *runs
	accounts *account.Service
	drafts   *draft.Service
	shares   *share.Service
	vault    *vault.Vault
	tasks    *local.Channel
	office   *remote.Office
	refused  chan string // leases that a worker of another workspace named
	routing  *routing.Service
	cases    *casebook.Service
	bulk     *bulk.Service
	log      *logBuffer
	clock    *clock
}

// clock is the time of a world; it stands still until a test moves it.
type clock struct {
	mu sync.Mutex
	at time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// logBuffer keeps what was logged.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}

// assets stands for the built files.
type assets struct{ http.Handler }

func (assets) URL(name string) string  { return "/static/dist/" + name }
func (assets) Preload(string) []string { return nil }

// parts are what runs the workflows of a world.
type parts struct {
	engine  server.Engine
	traces  server.Traces
	events  server.Events
	history server.History
	wait    time.Duration // for the answer of a webhook's run
}

// newWorld makes a world whose runs a test writes by hand.
func newWorld(t *testing.T) *world {
	t.Helper()
	r := newRuns()
	w := newWorldOf(t, pgtest.Open(t), parts{r, r, r, r, 300 * time.Millisecond})
	w.runs = r
	return w
}

func newWorldOf(t *testing.T, db *pg.DB, p parts) *world {
	t.Helper()
	w := &world{t: t, db: db, pool: db.Pool(), log: &logBuffer{}, clock: &clock{at: time.Now().Truncate(time.Microsecond)}}
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.hub = server.NewHub(log, p.traces)
	key, err := vault.NewKey(bytes.Repeat([]byte{1}, 32))
	if err != nil {
		t.Fatal(err)
	}
	w.vault = vault.New(pg.NewCredentials(w.pool), key, w.clock.now)
	w.tasks, w.refused = local.New(nil), make(chan string, 10)
	w.office, err = remote.New(remote.Config{
		Source: w.tasks, Payloads: pg.NewStore(db), Kept: pg.NewWorkers(w.pool), Name: "office", Log: log,
		Refused: func(_ context.Context, _ remote.Caller, lease, _, _ string) { w.refused <- lease },
	})
	if err != nil {
		t.Fatal(err)
	}
	w.routing = routing.New(pg.NewRouting(w.pool), log, w.clock.now)
	w.accounts = account.New(pg.NewAccounts(w.pool), w.clock.now)
	w.drafts = draft.New(pg.NewDrafts(w.pool), w.hub, w.clock.now)
	w.shares = share.New(pg.NewShares(w.pool), w.hub, w.clock.now)
	w.cases = casebook.New(pg.NewCases(pg.NewStore(db)), w.clock.now)
	w.bulk = bulk.New(bulk.Config{
		Store: pg.NewBulk(w.pool), Log: log, Now: w.clock.now,
		Acts: bulk.Acts{
			Run: p.history.Run, Engine: p.engine, Discard: pg.NewDeadLetters(pg.NewHistory(pg.NewStore(db))).DiscardRun,
			Keep: func(ctx context.Context, workspace string, run uuid.UUID, name, by string) error {
				_, err := w.cases.Add(ctx, workspace, run, name, by)
				return err
			},
		},
		Role: func(ctx context.Context, workspace string, user uuid.UUID) (account.Role, error) {
			who, err := w.accounts.Identity(ctx, workspace, user)
			return who.Role, err
		},
	})
	w.http = httptest.NewUnstartedServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) { w.server.ServeHTTP(rw, r) }))
	origin := "http://" + w.http.Listener.Addr().String()
	templates, err := gallery.New()
	if err != nil {
		t.Fatal(err)
	}
	w.server, err = server.New(server.Config{
		PublicURL: origin, HookWait: p.wait, Log: log, Now: w.clock.now, Metrics: prometheus.NewRegistry(), Assets: assets{http.NotFoundHandler()},
		Tickets:  pg.NewTickets(w.pool),
		Sessions: pg.NewSessions(w.pool), Accounts: w.accounts, Audit: audit.New(pg.NewAudit(w.pool), w.clock.now), Drafts: w.drafts,
		Comments: comment.New(pg.NewComments(w.pool), w.hub, w.clock.now), Inbox: inbox.New(pg.NewInboxes(w.pool), w.clock.now), Reviews: review.New(pg.NewReviews(w.pool), w.hub, w.clock.now), Gallery: templates, Shares: w.shares,
		Vault: w.vault, Routing: w.routing, Hub: w.hub, Workers: w.office, Engine: p.engine, Events: p.events, History: p.history, Boards: pg.NewBoards(w.pool), Letters: pg.NewDeadLetters(pg.NewHistory(pg.NewStore(db))),
		Cases: w.cases, Bulk: w.bulk, Filters: pg.NewFilters(w.pool),
		Proposals: proposal.New(pg.NewAssistants(w.pool), scripted{}, w.clock.now),
	})
	if err != nil {
		t.Fatal(err)
	}
	w.http.Start()
	t.Cleanup(func() {
		w.hub.Close()
		w.http.Close()
	})
	return w
}

// owner makes the first owner and returns a logged-in browser.
func (w *world) owner() *browser {
	w.t.Helper()
	token, err := w.accounts.SetupLink(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	b := w.browser()
	res := b.form("/setup/"+token, url.Values{"name": {"Ada"}, "email": {ownerEmail}, "password": {ownerPassword}})
	if res.status != http.StatusSeeOther || res.header.Get("Location") != "/" {
		w.t.Fatalf("setup answered %d to %s: %s", res.status, res.header.Get("Location"), res.text)
	}
	return b
}

// member adds a user with a role to a workspace and returns a client with an
// API token of theirs.
func (w *world) member(workspace string, role account.Role) *browser {
	w.t.Helper()
	ctx := w.t.Context()
	id := uuid.New()
	for _, q := range []struct {
		sql  string
		args []any
	}{
		{`insert into workspaces (id, name) values ($1, $1) on conflict do nothing`, []any{workspace}},
		{`insert into users (id, email, name, password_hash, created_at) values ($1, $2, $3, '', now())`, []any{id, id.String() + "@example.org", string(role)}},
		{`insert into members (workspace_id, user_id, role, created_at) values ($1, $2, $3, now())`, []any{workspace, id, role}},
	} {
		if _, err := w.pool.Exec(ctx, q.sql, q.args...); err != nil {
			w.t.Fatal(err)
		}
	}
	_, secret, err := w.accounts.CreateToken(ctx, account.Identity{User: id, Workspace: workspace, Role: role}, account.NewToken{Name: "test"})
	if err != nil {
		w.t.Fatal(err)
	}
	b := w.browser()
	b.token = secret
	return b
}

// browser is a client with cookies, or with a token.
type browser struct {
	w      *world
	client *http.Client
	token  string
	header http.Header
}

func (w *world) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		w.t.Fatal(err)
	}
	return &browser{w: w, header: http.Header{}, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

type response struct {
	status int
	header http.Header
	text   string
}

// into decodes the answer.
func (r response) into(t *testing.T, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.text), v); err != nil {
		t.Fatalf("%d %s: %v", r.status, r.text, err)
	}
}

func (b *browser) do(method, path string, body []byte, header http.Header) response {
	b.w.t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), method, b.w.http.URL+path, bytes.NewReader(body))
	if err != nil {
		b.w.t.Fatal(err)
	}
	if b.token != "" {
		req.Header.Set("Authorization", "Bearer "+b.token)
	}
	for _, h := range []http.Header{b.header, header} {
		for k, v := range h {
			if k == "Host" {
				req.Host = v[0]
				continue
			}
			req.Header[k] = v
		}
	}
	res, err := b.client.Do(req)
	if err != nil {
		b.w.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.w.t.Fatal(err)
	}
	return response{res.StatusCode, res.Header, string(text)}
}

func (b *browser) get(path string) response { b.w.t.Helper(); return b.do("GET", path, nil, nil) }

func (b *browser) form(path string, v url.Values) response {
	b.w.t.Helper()
	return b.do("POST", path, []byte(v.Encode()), http.Header{"Content-Type": {"application/x-www-form-urlencoded"}})
}

// json sends a value, or a text as it is.
func (b *browser) json(method, path string, v any) response {
	b.w.t.Helper()
	raw, ok := v.(string)
	if !ok {
		encoded, err := json.Marshal(v)
		if err != nil {
			b.w.t.Fatal(err)
		}
		raw = string(encoded)
	}
	return b.do(method, path, []byte(raw), http.Header{"Content-Type": {"application/json"}})
}

// must fails the test unless the answer has the status.
func (r response) must(t *testing.T, status int) response {
	t.Helper()
	if r.status != status {
		t.Fatalf("got %d instead of %d: %s", r.status, status, r.text)
	}
	return r
}

// template makes a workflow from the flagship.
func (b *browser) template(name string) string {
	b.w.t.Helper()
	var out struct{ ID string }
	b.json("POST", "/api/workflows", map[string]any{"template": name}).must(b.w.t, http.StatusCreated).into(b.w.t, &out)
	return out.ID
}

// publish publishes the draft as it is.
func (b *browser) publish(id string) {
	b.w.t.Helper()
	var d struct{ Seq int64 }
	b.get("/api/workflows/"+id+"/draft").must(b.w.t, http.StatusOK).into(b.w.t, &d)
	b.json("POST", "/api/workflows/"+id+"/publish", map[string]any{"seq": d.Seq}).must(b.w.t, http.StatusOK)
}

func contains(t *testing.T, text, want string) {
	t.Helper()
	if !strings.Contains(text, want) {
		t.Errorf("%q is not in %s", want, text)
	}
}
