package guard_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"

	"signalbox/engine/guard"
)

// TestSSRF: none of these may ever make a connection.
func TestSSRF(t *testing.T) {
	t.Parallel()
	var hits atomic.Int64
	inside := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { hits.Add(1) }))
	t.Cleanup(inside.Close)
	port := inside.URL[strings.LastIndex(inside.URL, ":")+1:]
	c, err := guard.New(guard.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{
		"http://127.0.0.1:PORT/", "http://localhost:PORT/", "http://127.1:PORT/", "http://0:PORT/", "http://0.0.0.0:PORT/", "http://2130706433:PORT/",
		"http://0x7f000001:PORT/", "http://0177.0.0.1:PORT/", "http://127.0.0.1.:PORT/", "http://[::1]:PORT/", "http://[::ffff:127.0.0.1]:PORT/",
		"http://[::127.0.0.1]:PORT/", "http://[0:0:0:0:0:ffff:7f00:1]:PORT/", "http://[64:ff9b::7f00:1]:PORT/", "http://[2002:7f00:1::]:PORT/",
		"http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]:PORT/", "http://[fe80::1]:PORT/", "http://[fe80::1%25lo]:PORT/", "http://[fc00::1]:PORT/",
		"http://169.254.169.254/", "http://[::ffff:169.254.169.254]/", "http://[fd00:ec2::254]/", "http://10.0.0.1/", "http://172.16.0.1/",
		"http://192.168.1.1/", "http://100.64.0.1/", "http://192.0.2.1/", "http://198.18.0.1/", "http://224.0.0.1/", "http://240.0.0.1/",
		"http://255.255.255.255/", "http://user:pass@127.0.0.1:PORT/", "http://example.org@127.0.0.1:PORT/", "file:///etc/passwd", "gopher://127.0.0.1:PORT/",
		"ftp://127.0.0.1/", "http:///x", "http://127.0.0.1:PORT/demo/x", "http://127.0.0.1:PORT/%64emo/x", "ws://127.0.0.1:PORT/", "http://[::]:PORT/", "http://[::%25eth0]:PORT/",
	} {
		target = strings.ReplaceAll(target, "PORT", port)
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if err != nil {
			continue // not even an address
		}
		res, err := c.Do(r)
		if err == nil {
			_ = res.Body.Close()
			t.Errorf("%s was called", target)
		}
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("%d requests arrived", n)
	}
}

func TestTheExceptionIsExact(t *testing.T) {
	t.Parallel()
	var paths []string
	own := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path == "/demo/away" {
			http.Redirect(w, r, "/secret", http.StatusFound)
		}
	}))
	t.Cleanup(own.Close)
	c, err := guard.New(guard.Config{Origin: own.URL, Prefix: "/demo/"})
	if err != nil {
		t.Fatal(err)
	}
	get := func(target string) error {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
		if err != nil {
			t.Fatal(err)
		}
		res, err := c.Do(r)
		if err == nil {
			_ = res.Body.Close()
		}
		return err
	}
	if err := get(own.URL + "/demo/cases"); err != nil {
		t.Errorf("our own demo endpoint: %v", err)
	}
	for _, path := range []string{"/", "/api/workflows", "/demo/../api", "/demo/%2e%2e/api", "/demox", "/demo/away"} {
		if err := get(own.URL + path); !errors.Is(err, guard.ErrAddress) {
			t.Errorf("%s: %v, want an address that is not allowed", path, err)
		}
	}
	if err := get(strings.Replace(own.URL, "127.0.0.1", "localhost", 1) + "/demo/cases"); !errors.Is(err, guard.ErrAddress) {
		t.Errorf("another name of our server: %v", err)
	}
	for _, p := range paths {
		if p != "/demo/cases" && p != "/demo/away" {
			t.Errorf("%s arrived", p)
		}
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for _, a := range []string{"1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "::ffff:8.8.8.8"} {
		if !guard.Public(netip.MustParseAddr(a)) {
			t.Errorf("%s is public", a)
		}
	}
}

func TestBodiesAreBounded(t *testing.T) {
	t.Parallel()
	if _, err := guard.ReadBody(context.Background(), strings.NewReader(strings.Repeat("x", guard.BodyMax+1))); !errors.Is(err, guard.ErrTooLarge) {
		t.Errorf("%v", err)
	}
}
