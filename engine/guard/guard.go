// Package guard makes outgoing HTTP requests that cannot be turned against the
// network around this program: only public addresses, judged at the moment of
// the connection, on every hop.
//
// It reads no proxy from the environment. The one exception, for the demo
// endpoint of our own server, comes from the process's configuration and never
// from a workflow.
package guard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// Limits of one request.
const (
	RedirectsMax = 5
	BodyMax      = 10 << 20 // bytes, after decompression
	headersMax   = 64 << 10
	dialMax      = 10 * time.Second
	urlMax       = 8_000
)

// ErrAddress: the address is not allowed.
var ErrAddress = errors.New("address not allowed")

// ErrTooLarge: the answer is larger than BodyMax.
var ErrTooLarge = fmt.Errorf("the answer has more than %d bytes", BodyMax)

// Config is the exception.
type Config struct {
	// Origin is our own server, for example http://127.0.0.1:8080; empty: no
	// exception. Only the exact origin, only below Prefix, only when it is a
	// loopback address, and without redirects.
	Origin string
	Prefix string // "/demo/"
}

// Client makes guarded requests.
type Client struct {
	public *http.Client
	own    *http.Client
	origin *url.URL
	prefix string
}

// New makes a client.
func New(cfg Config) (*Client, error) {
	c := &Client{prefix: cfg.Prefix}
	c.public = &http.Client{Transport: transport(checkPublic), CheckRedirect: redirect}
	if cfg.Origin == "" {
		return c, nil
	}
	u, err := url.Parse(cfg.Origin)
	if err != nil || u.Host == "" {
		return nil, fmt.Errorf("the guard's exception %q is not an origin", cfg.Origin)
	}
	c.origin = u
	c.own = &http.Client{
		Transport: transport(checkLoopback),
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return fmt.Errorf("%w: the demo endpoint does not redirect", ErrAddress)
		},
	}
	return c, nil
}

func transport(check func(addr netip.AddrPort) error) *http.Transport {
	d := &net.Dialer{Timeout: dialMax, Control: func(_, address string, _ syscall.RawConn) error {
		addr, err := netip.ParseAddrPort(address)
		if err != nil {
			return fmt.Errorf("%w: %s", ErrAddress, address)
		}
		return check(addr)
	}}
	return &http.Transport{
		DialContext: d.DialContext, ForceAttemptHTTP2: true, MaxResponseHeaderBytes: headersMax, MaxIdleConns: 100, MaxIdleConnsPerHost: 16,
		IdleConnTimeout: 30 * time.Second, TLSHandshakeTimeout: dialMax, ResponseHeaderTimeout: 2 * time.Minute,
	}
}

// Do sends a request. The error wraps ErrAddress when the address is not
// allowed.
func (c *Client) Do(r *http.Request) (*http.Response, error) {
	if err := CheckURL(r.URL); err != nil {
		return nil, err
	}
	if c.ours(r.URL) {
		return c.own.Do(r) //nolint:wrapcheck // the caller names the request
	}
	return c.public.Do(r) //nolint:wrapcheck // the caller names the request
}

func (c *Client) ours(u *url.URL) bool {
	return c.origin != nil && u.Scheme == c.origin.Scheme && u.Host == c.origin.Host &&
		strings.HasPrefix(u.EscapedPath(), c.prefix) && !strings.Contains(u.EscapedPath(), "..") && !strings.Contains(u.EscapedPath(), "%")
}

// CheckURL refuses what no outgoing request needs.
func CheckURL(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return fmt.Errorf("%w: only http and https can be called", ErrAddress)
	case u.User != nil:
		return fmt.Errorf("%w: a user in the address is not taken; use a credential", ErrAddress)
	case u.Hostname() == "":
		return fmt.Errorf("%w: the address has no host", ErrAddress)
	case len(u.String()) > urlMax:
		return fmt.Errorf("%w: it has more than %d characters", ErrAddress, urlMax)
	case strings.Contains(u.Hostname(), "%"):
		return fmt.Errorf("%w: zones are not taken", ErrAddress)
	}
	return nil
}

// redirect follows at most RedirectsMax hops and drops what was meant for
// another origin.
func redirect(r *http.Request, via []*http.Request) error {
	if len(via) > RedirectsMax {
		return fmt.Errorf("more than %d redirects", RedirectsMax)
	}
	if err := CheckURL(r.URL); err != nil {
		return err
	}
	last := via[len(via)-1].URL
	if r.URL.Scheme != last.Scheme || r.URL.Host != last.Host {
		kept := http.Header{}
		for _, name := range []string{"Accept", "User-Agent"} {
			if v := r.Header.Get(name); v != "" {
				kept.Set(name, v)
			}
		}
		r.Header = kept
	}
	return nil
}

// ReadBody reads an answer up to BodyMax.
func ReadBody(ctx context.Context, r io.Reader) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(r, BodyMax+1))
	if err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	if len(b) > BodyMax {
		return nil, ErrTooLarge
	}
	return b, nil
}

func checkLoopback(a netip.AddrPort) error {
	if !a.Addr().Unmap().IsLoopback() {
		return fmt.Errorf("%w: %s is not this machine", ErrAddress, a.Addr())
	}
	return nil
}

func checkPublic(a netip.AddrPort) error {
	if !Public(a.Addr()) {
		return fmt.Errorf("%w: %s is not a public address", ErrAddress, a.Addr())
	}
	return nil
}
