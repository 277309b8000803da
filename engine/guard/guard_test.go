package guard_test

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"signalbox/engine/guard"
)

// inside is a server at 127.0.0.1 that nothing may ever reach.
type inside struct {
	*httptest.Server

	hits atomic.Int64
}

func newInside(t *testing.T) *inside {
	t.Helper()
	s := &inside{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { s.hits.Add(1) }))
	t.Cleanup(func() {
		s.Close()
		if n := s.hits.Load(); n != 0 {
			t.Errorf("%d requests came inside", n)
		}
	})
	return s
}

func (s *inside) port() string { return s.URL[strings.LastIndex(s.URL, ":")+1:] }

// outside is a server at 127.0.0.2, which the judge of these tests takes for
// the public network.
func outside(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.2:0")
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(h)
	_ = s.Listener.Close()
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	return s.URL
}

func judged(t *testing.T, cfg guard.Config) *guard.Client {
	t.Helper()
	c, err := guard.NewJudged(cfg, func(a netip.Addr) error {
		if a == netip.MustParseAddr("127.0.0.2") {
			return nil
		}
		return &guard.Refusal{Reason: a.String() + " is inside"}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func get(t *testing.T, c *guard.Client, url string) (string, error) {
	t.Helper()
	return send(t, c, guard.Request{Method: http.MethodGet, URL: url})
}

func send(t *testing.T, c *guard.Client, r guard.Request) (string, error) {
	t.Helper()
	res, err := c.Do(t.Context(), r)
	if err != nil {
		return "", err
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	return string(b), err
}

func TestAddressesThatAreNotPublic(t *testing.T) {
	t.Parallel()
	s := newInside(t)
	c, err := guard.New(guard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{
		// This machine.
		"http://127.0.0.1:PORT/", "http://127.0.0.1.:PORT/", "http://127.8.8.8:PORT/", "http://localhost:PORT/", "http://LOCALHOST.:PORT/",
		"http://a.localhost:PORT/", "http://0.0.0.0:PORT/", "http://[::1]:PORT/", "http://[::]:PORT/", "http://[0:0:0:0:0:0:0:1]:PORT/",
		// Other ways to write it.
		"http://0:PORT/", "http://127.1:PORT/", "http://127.0.1:PORT/", "http://2130706433:PORT/", "http://0x7f000001:PORT/", "http://0x7f.0.0.1:PORT/",
		"http://0x7f.1:PORT/", "http://0177.0.0.1:PORT/", "http://017700000001:PORT/", "http://127.0.0.0x1:PORT/", "http://127.0.0.01:PORT/",
		"http://%31%32%37.0.0.1:PORT/", "http://①②⑦.⓪.⓪.①:PORT/", "http://127。0。0。1:PORT/",
		// IPv4 inside IPv6: mapped, compatible, translated, 6to4, Teredo.
		"http://[::ffff:127.0.0.1]:PORT/", "http://[::ffff:7f00:1]:PORT/", "http://[0:0:0:0:0:ffff:7f00:1]:PORT/", "http://[::127.0.0.1]:PORT/",
		"http://[::ffff:0:127.0.0.1]:PORT/", "http://[64:ff9b::7f00:1]:PORT/", "http://[64:ff9b:1::7f00:1]:PORT/", "http://[2002:7f00:1::]:PORT/",
		"http://[2001:0:4136:e378:8000:63bf:80ff:fffe]:PORT/",
		// Zones.
		"http://[fe80::1%25lo]:PORT/", "http://[::1%25lo]:PORT/", "http://[fe80::1%25eth0]/",
		// Private, shared, link-local, metadata, special.
		"http://10.0.0.1/", "http://172.16.0.1/", "http://172.31.255.255/", "http://192.168.1.1/", "http://100.64.0.1/", "http://100.100.100.200/",
		"http://169.254.169.254/latest/meta-data/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://168.63.129.16/",
		"http://192.0.0.192/", "http://192.0.2.1/", "http://192.88.99.1/", "http://198.18.0.1/", "http://198.51.100.1/", "http://203.0.113.1/",
		"http://224.0.0.1/", "http://240.0.0.1/", "http://255.255.255.255/", "http://[fc00::1]/", "http://[fe80::1]/", "http://[fec0::1]/",
		"http://[ff02::1]/", "http://[100::1]/", "http://[2001:db8::1]/", "http://[3fff::1]/", "http://[5f00::1]/", "http://metadata.google.internal/",
		"http://printer.local/",
		// Not an address of the web, or one with a second meaning.
		"file:///etc/passwd", "gopher://127.0.0.1:PORT/", "ftp://127.0.0.1/", "ws://127.0.0.1:PORT/", "unix:///run/x", "http:/127.0.0.1:PORT/",
		"//127.0.0.1:PORT/", "http:127.0.0.1:PORT", "http://", "http:///x", "http://:PORT/", "", "javascript:alert(1)", "data:text/plain,x",
		"http://user:pass@127.0.0.1:PORT/", "http://example.org@127.0.0.1:PORT/", "http://example.org\\@127.0.0.1:PORT/", "http://127.0.0.1:PORT\\@example.org/",
		"http://127.0.0.1:PORT/\r\nX: y", "http://127.0.0.1 :PORT/", "http://exa mple.org/", "http://127.0.0.1\t:PORT/", "http://example.org:0/", "http://example.org:/",
		"http://example.org:99999/", "http://[::1/", "http://%00/",
	} {
		address = strings.ReplaceAll(address, "PORT", s.port())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		res, err := c.Do(ctx, guard.Request{Method: http.MethodGet, URL: address})
		cancel()
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%q was called", address)
		}
		var refused *guard.Refusal
		if !errors.As(err, &refused) && !strings.Contains(address, "99999") && !strings.ContainsAny(address, "①。") {
			t.Errorf("%q: %v, want a refusal", address, err)
		}
	}
}

func TestPublicAddresses(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"1.1.1.1", "8.8.8.8", "93.184.216.34", "172.32.0.1", "100.128.0.1", "2606:4700:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8"} {
		if !guard.Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
}

func TestRedirectsDoNotLeadInside(t *testing.T) {
	t.Parallel()
	s := newInside(t)
	c := judged(t, guard.Config{})
	for _, location := range []string{s.URL, "http://localhost:" + s.port(), "http://[::ffff:127.0.0.1]:" + s.port(), "http://2130706433:" + s.port(), "//127.0.0.1:" + s.port() + "/", "file:///etc/passwd", "http://u:p@127.0.0.2/"} {
		for _, status := range []int{301, 302, 303, 307, 308} {
			base := outside(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			})
			var refused *guard.Refusal
			if _, err := get(t, c, base); !errors.As(err, &refused) {
				t.Errorf("%d to %s: %v, want a refusal", status, location, err)
			}
		}
	}
}

func TestRedirectsAreCounted(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	base := outside(t, func(w http.ResponseWriter, r *http.Request) {
		n := hits.Add(1)
		if r.URL.Path == "/five" && n > guard.RedirectsMax {
			fmt.Fprint(w, "there")
			return
		}
		http.Redirect(w, r, r.URL.Path, http.StatusFound)
	})
	c := judged(t, guard.Config{})
	if body, err := get(t, c, base+"/five"); err != nil || body != "there" {
		t.Errorf("five redirects: %q, %v", body, err)
	}
	hits.Store(0)
	if _, err := get(t, c, base+"/endless"); err == nil || hits.Load() != guard.RedirectsMax+1 {
		t.Errorf("endless redirects: %v after %d requests", err, hits.Load())
	}
}

func TestAnotherOriginGetsNothingThatWasMeantForThisOne(t *testing.T) {
	t.Parallel()
	type seen struct {
		header http.Header
		method string
		body   string
	}
	last := make(chan seen, 1)
	record := func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		last <- seen{r.Header, r.Method, string(b)}
	}
	other := outside(t, record)
	var base string
	base = outside(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/there":
			record(w, r)
		case "/same":
			http.Redirect(w, r, base+"/there", http.StatusTemporaryRedirect)
		case "/keep":
			http.Redirect(w, r, other, http.StatusPermanentRedirect)
		default:
			http.Redirect(w, r, other, http.StatusFound)
		}
	})
	c := judged(t, guard.Config{})
	req := func(method, path, body string) guard.Request {
		r := guard.Request{Method: method, URL: base + path, Header: http.Header{
			"Authorization": {"Bearer s3cret"}, "X-Api-Key": {"s3cret"}, "Cookie": {"a=s3cret"}, "Accept": {"application/json"}, "Content-Type": {"text/plain"}, "Idempotency-Key": {"k"},
		}}
		if body != "" {
			r.Body = []byte(body)
		}
		return r
	}
	for _, r := range []guard.Request{req("GET", "/", ""), req("GET", "/keep", ""), req("POST", "/", "s3cret")} {
		if _, err := send(t, c, r); err != nil {
			t.Fatal(err)
		}
		got := <-last
		if strings.Contains(fmt.Sprint(got), "s3cret") || got.header.Get("Idempotency-Key") != "" || got.method != "GET" || got.header.Get("Accept") != "application/json" {
			t.Errorf("%s %s: the other origin got %+v", r.Method, r.URL, got)
		}
	}
	if _, err := send(t, c, req("POST", "/keep", "s3cret")); err == nil {
		t.Error("a body was sent to another origin")
	}
	if _, err := send(t, c, req("POST", "/same", "s3cret")); err != nil {
		t.Fatal(err)
	}
	if got := <-last; got.body != "s3cret" || got.method != "POST" || got.header.Get("X-Api-Key") != "s3cret" {
		t.Errorf("the same origin got %+v", got)
	}
}

// A name that is public when it is looked at and inside when it is called.
func TestRebindingNameNeverLeadsInside(t *testing.T) {
	t.Parallel()
	s := newInside(t)
	var asked atomic.Int64
	resolver := nameserver(t, func() netip.Addr {
		if asked.Add(1)%2 == 1 {
			return netip.MustParseAddr("127.0.0.2")
		}
		return netip.MustParseAddr("127.0.0.1")
	})
	c := judged(t, guard.Config{Resolver: resolver})
	refusals := 0
	for range 40 {
		_, err := get(t, c, "http://rebind.example.org:"+s.port()+"/")
		var refused *guard.Refusal
		if errors.As(err, &refused) {
			refusals++
		}
	}
	if asked.Load() < 40 || refusals < 10 {
		t.Errorf("%d look-ups, %d refusals: the name did not change as the test wants", asked.Load(), refusals)
	}
}

func TestNameOfAPrivateAddress(t *testing.T) {
	t.Parallel()
	s := newInside(t)
	c, err := guard.New(guard.Config{Resolver: nameserver(t, func() netip.Addr { return netip.MustParseAddr("127.0.0.1") })})
	if err != nil {
		t.Fatal(err)
	}
	var refused *guard.Refusal
	if _, err := get(t, c, "http://inside.example.org:"+s.port()+"/"); !errors.As(err, &refused) {
		t.Errorf("%v, want a refusal", err)
	}
}

// nameserver answers every question for an IPv4 address, and none other.
func nameserver(t *testing.T, answer func() netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { _ = conn.Close(); wg.Wait() })
	wg.Go(func() {
		buf := make([]byte, 1_500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(buf[:n]) != nil || len(m.Questions) != 1 {
				continue
			}
			q := m.Questions[0]
			m.Response, m.Authoritative, m.Additionals = true, true, nil
			if q.Type == dnsmessage.TypeA {
				m.Answers = []dnsmessage.Resource{{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 0}, Body: &dnsmessage.AResource{A: answer().As4()}}}
			}
			if raw, err := m.Pack(); err == nil {
				_, _ = conn.WriteTo(raw, from)
			}
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func TestTheExceptionIsExact(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var paths []string
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		paths = append(paths, r.URL.Path)
		if r.URL.Path == "/demo/away" {
			http.Redirect(w, r, "/secret", http.StatusFound)
			return
		}
		fmt.Fprint(w, "demo")
	}))
	t.Cleanup(own.Close)
	c, err := guard.New(guard.Config{Exceptions: []guard.Exception{{Origin: own.URL, Path: "/demo/", Name: "http://here.invalid"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, origin := range []string{own.URL, "http://here.invalid"} {
		if body, err := get(t, c, origin+"/demo/cases?x=1"); err != nil || body != "demo" {
			t.Errorf("the demo endpoint at %s: %q, %v", origin, body, err)
		}
	}
	for _, address := range []string{"http://here.invalid/api", "http://here.invalid/demo/../api", "https://here.invalid/demo/x", "http://other.invalid/demo/x"} {
		if _, err := get(t, c, address); err == nil {
			t.Errorf("%s was called", address)
		}
	}
	res, err := c.Do(t.Context(), guard.Request{Method: http.MethodGet, URL: own.URL + "/demo/away"})
	if err != nil || res.StatusCode != http.StatusFound {
		t.Errorf("the redirect was followed: %v, %v", res, err)
	}
	_ = res.Body.Close()
	for _, path := range []string{"", "/", "/api/workflows", "/demo", "/demo/../api", "/demo/..%2fapi", "/demo/%2e%2e/api", "/demo//x", "/demox", "/DEMO/x", "/%64emo/x", "/demo/a%2fb"} {
		var refused *guard.Refusal
		if _, err := get(t, c, own.URL+path); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a refusal", path, err)
		}
	}
	for _, address := range []string{strings.Replace(own.URL, "127.0.0.1", "localhost", 1), strings.Replace(own.URL, "http:", "https:", 1), strings.Replace(own.URL, "127.0.0.1", "[::ffff:127.0.0.1]", 1)} {
		var refused *guard.Refusal
		if _, err := get(t, c, address+"/demo/cases"); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
	for _, p := range paths {
		if !strings.HasPrefix(p, "/demo/") {
			t.Errorf("%s arrived", p)
		}
	}
}

// An exception for a name that is somewhere else is none.
func TestExceptionIsForThisMachineOnly(t *testing.T) {
	t.Parallel()
	c, err := guard.New(guard.Config{
		Exceptions: []guard.Exception{{Origin: "http://demo.example.org", Path: "/demo/"}},
		Resolver:   nameserver(t, func() netip.Addr { return netip.MustParseAddr("10.0.0.1") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	var refused *guard.Refusal
	if _, err := get(t, c, "http://demo.example.org/demo/x"); !errors.As(err, &refused) {
		t.Errorf("%v, want a refusal", err)
	}
}

// At the edge the operator names origins in the private network; what answers
// with a machine's own secrets is none, whatever it is called.
func TestAnExceptionMayBeBesideThisMachine(t *testing.T) {
	t.Parallel()
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "scale") }))
	t.Cleanup(own.Close)
	metadata := "http://metadata.example.org"
	c, err := guard.New(guard.Config{
		Exceptions: []guard.Exception{{Origin: own.URL, Path: "/", Private: true}, {Origin: metadata, Path: "/", Private: true}},
		Resolver:   nameserver(t, func() netip.Addr { return netip.MustParseAddr("169.254.169.254") }),
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"", "/", "/weight?x=1"} {
		if body, err := get(t, c, own.URL+path); err != nil || body != "scale" {
			t.Errorf("%q: %q, %v", path, body, err)
		}
	}
	for _, address := range []string{metadata + "/latest", "http://169.254.169.254/latest", "http://10.0.0.1/", "http://127.0.0.1:1/"} {
		var refused *guard.Refusal
		if _, err := get(t, c, address); !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	var sent atomic.Int64
	base := outside(t, func(w http.ResponseWriter, r *http.Request) {
		piece := strings.Repeat("x", 64<<10)
		switch r.URL.Path {
		case "/endless":
			for r.Context().Err() == nil {
				n, err := io.WriteString(w, piece)
				if sent.Add(int64(n)); err != nil {
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 1_000 { // 64 MB in 64 KB
				if _, err := io.WriteString(z, piece); err != nil {
					return
				}
			}
			_ = z.Close()
		case "/headers":
			for i := range 100 {
				w.Header().Set(fmt.Sprint("X-", i), piece[:1_000])
			}
		}
	})
	c := judged(t, guard.Config{})
	for _, path := range []string{"/endless", "/bomb"} {
		if body, err := get(t, c, base+path); !errors.Is(err, guard.ErrTooLarge) || len(body) > guard.BodyMax {
			t.Errorf("%s: %d bytes, %v", path, len(body), err)
		}
	}
	if n := sent.Load(); n > 10*guard.BodyMax {
		t.Errorf("%d bytes were taken of an endless answer", n)
	}
	if _, err := get(t, c, base+"/headers"); err == nil {
		t.Error("100 KB of headers were taken")
	}
}

func TestLimitIsExact(t *testing.T) {
	t.Parallel()
	base := outside(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "12345") })
	c := judged(t, guard.Config{})
	for n, want := range map[int64]error{4: guard.ErrTooLarge, 5: nil, 6: nil} {
		if _, err := send(t, c, guard.Request{Method: http.MethodGet, URL: base, Max: n}); !errors.Is(err, want) {
			t.Errorf("limit %d: %v, want %v", n, err, want)
		}
	}
}

func TestSlowAnswerEndsWithItsContext(t *testing.T) {
	t.Parallel()
	base := outside(t, func(w http.ResponseWriter, r *http.Request) {
		for r.Context().Err() == nil { // a byte now and then, for ever
			fmt.Fprint(w, "x")
			_ = http.NewResponseController(w).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	began := time.Now()
	res, err := judged(t, guard.Config{}).Do(ctx, guard.Request{Method: http.MethodGet, URL: base})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if _, err := io.ReadAll(res.Body); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("%v after %s", err, time.Since(began))
	}
}

func TestHeadersThatBelongToTheConnection(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	base := outside(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	c := judged(t, guard.Config{})
	for name, value := range map[string]string{
		"Host": "inside", "host": "inside", "Connection": "close", "Transfer-Encoding": "chunked", "Content-Length": "5", "Upgrade": "websocket",
		"X": "a\r\nY: b", "X\r\nY": "b", "": "a", "a b": "c", "Proxy-Authorization": "x", "Te": "trailers",
	} {
		_, err := send(t, c, guard.Request{Method: http.MethodGet, URL: base, Header: http.Header{name: {value}}})
		var refused *guard.Refusal
		if !errors.As(err, &refused) {
			t.Errorf("%q: %v, want a refusal", name, err)
		}
	}
	if hits.Load() != 0 {
		t.Error("a request was sent")
	}
}

// Not parallel: it changes the environment.
func TestNoProxyFromTheEnvironment(t *testing.T) { //nolint:paralleltest // see above
	s := newInside(t)
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, s.URL)
	}
	base := outside(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "direct") })
	if body, err := get(t, judged(t, guard.Config{}), base); err != nil || body != "direct" {
		t.Errorf("%q, %v", body, err)
	}
}

func TestBadExceptionsAreNamed(t *testing.T) {
	t.Parallel()
	for _, e := range []guard.Exception{{}, {Origin: "127.0.0.1:80", Path: "/x/"}, {Origin: "http://127.0.0.1", Path: "x"}, {Origin: "http://127.0.0.1", Path: "/x"}, {Origin: "http://127.0.0.1", Path: "/x/", Name: "http://example.org"}} {
		if _, err := guard.New(guard.Config{Exceptions: slices.Concat([]guard.Exception{{Origin: "http://127.0.0.1", Path: "/x/"}}, []guard.Exception{e})}); err == nil {
			t.Errorf("%+v was taken", e)
		}
	}
}
