// Package guard is the one way to the network for what a workflow asks for:
// an HTTP client that reaches public addresses only.
//
// The judgment falls where nothing can slip in behind it: on the final IP
// address, in the moment of each connection, so neither a redirect nor a name
// that changes its address leads inside. Before that, addresses that try to
// look like something else are refused by name.
//
// It never uses a proxy from the environment, and never follows more than five
// redirects; what a request carries stays with the origin that it was meant
// for.
package guard

import (
	"cmp"
	"context"
	"crypto/tls"
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
	BodyMax      = 10_000_000 // bytes of an answer, unpacked
	HeadersMax   = 64 << 10   // bytes of an answer's headers
	urlMax       = 8_000      // characters
	dialMax      = 10 * time.Second
	idleMax      = 30 * time.Second
	idleConns    = 64
)

// Exception lets requests reach one origin that is not public: the demo endpoint
// of this very process, a model on this machine, a device beside it. It comes from the configuration of
// the process, never from a workflow.
type Exception struct {
	Origin string // scheme://host:port, exactly
	Path   string // what the path has to begin with, for example "/demo/"
	// Private lets the origin be in the private network around this process, not
	// only on this machine: for workers at the edge.
	Private bool
	// Name is another origin under which the same is reached, so that what is
	// stored need not know on which port this process listens. It must end in
	// .invalid, which no name server ever resolves; empty: none.
	Name string
}

// Config is what a Guard is made of.
type Config struct {
	Exceptions []Exception
	Resolver   *net.Resolver // nil is the system's
	UserAgent  string        // empty is "Signalbox"
	TLS        *tls.Config   // nil trusts the system's authorities, from TLS 1.2 on
}

// Client makes guarded requests.
type Client struct {
	cfg        Config
	exceptions []Exception
	judge      func(netip.Addr) error // of addresses that are no exception
	public     *http.Transport
	loopback   *http.Transport // for exceptions only: connections are not shared
	private    *http.Transport // the same
}

// New makes a client.
func New(cfg Config) (*Client, error) {
	c := &Client{cfg: cfg, judge: judgePublic}
	for _, e := range cfg.Exceptions {
		u, err := url.Parse(e.Origin)
		if err != nil || u.Host == "" || !strings.HasPrefix(e.Path, "/") || !strings.HasSuffix(e.Path, "/") {
			return nil, fmt.Errorf("exception %s %s: it needs an origin such as http://127.0.0.1:8080 and a path between slashes", e.Origin, e.Path)
		}
		if e.Name != "" && !strings.HasSuffix(e.Name, ".invalid") {
			return nil, fmt.Errorf("exception %s: its name %q must end in .invalid", e.Origin, e.Name)
		}
		c.exceptions = append(c.exceptions, Exception{Origin: originOf(u), Path: e.Path, Private: e.Private, Name: e.Name})
	}
	if cfg.UserAgent == "" {
		c.cfg.UserAgent = "Signalbox"
	}
	c.public = c.transport(func(a netip.Addr) error { return c.judge(a) })
	c.loopback = c.transport(judgeLoopback)
	c.private = c.transport(judgePrivate)
	return c, nil
}

// transport makes connections only where the judge allows the final address.
func (c *Client) transport(judge func(netip.Addr) error) *http.Transport {
	dialer := &net.Dialer{
		Timeout: dialMax, Resolver: c.cfg.Resolver,
		ControlContext: func(_ context.Context, network, address string, _ syscall.RawConn) error {
			if network != "tcp4" && network != "tcp6" {
				return refuse("connections of the sort %s are not allowed", network)
			}
			a, err := netip.ParseAddrPort(address)
			if err != nil {
				return refuse("the address %s is not allowed", address)
			}
			return judge(a.Addr())
		},
	}
	tlsConfig := &tls.Config{MinVersion: tls.VersionTLS12}
	if c.cfg.TLS != nil {
		tlsConfig = c.cfg.TLS.Clone()
	}
	return &http.Transport{
		Proxy: nil, DialContext: dialer.DialContext, TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: dialMax, ResponseHeaderTimeout: 0, ExpectContinueTimeout: time.Second,
		MaxResponseHeaderBytes: HeadersMax, MaxIdleConns: idleConns, MaxIdleConnsPerHost: 4, IdleConnTimeout: idleMax,
	}
}

// Close ends connections that are kept for later.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	c.loopback.CloseIdleConnections()
	c.private.CloseIdleConnections()
}

// Refusal says why a request was not made. It is the author's fault: trying
// again changes nothing.
type Refusal struct{ Reason string }

func (r *Refusal) Error() string { return r.Reason }

func refuse(format string, args ...any) *Refusal { return &Refusal{fmt.Sprintf(format, args...)} }

// ErrTooLarge: the answer's body is larger than the limit.
var ErrTooLarge = errors.New("the answer is too large")

// Request is what to send.
type Request struct {
	Method string
	URL    string
	Header http.Header
	Body   []byte
	Max    int64 // bytes of the answer; 0 is BodyMax
}

// Do sends a request and follows redirects. The context bounds all of it, the
// reading of the body included; the caller closes the body. Reading beyond the
// limit fails with ErrTooLarge.
func (c *Client) Do(ctx context.Context, r Request) (*http.Response, error) {
	u, err := parse(r.URL)
	if err != nil {
		return nil, err
	}
	header, err := clean(r.Header)
	if err != nil {
		return nil, err
	}
	if header.Get("User-Agent") == "" {
		header.Set("User-Agent", c.cfg.UserAgent)
	}
	transport, follow := c.public, true
	if own, private := c.excepted(u); own != nil {
		u, transport, follow = own, c.loopback, false
		if private {
			transport = c.private
		}
	} else if err := judgeHost(u, c.judge); err != nil {
		return nil, err
	}
	hop := hop{judge: c.judge, method: r.Method, url: u, header: header, body: r.Body}
	for n := 0; ; n++ {
		res, err := hop.send(ctx, transport)
		if err != nil {
			return nil, err
		}
		location := res.Header.Get("Location")
		if !follow || location == "" || !redirects(res.StatusCode) {
			res.Body = limit(res.Body, r.Max)
			return res, nil
		}
		_, _ = io.CopyN(io.Discard, res.Body, 4<<10) // so that the connection can be used again
		_ = res.Body.Close()
		if n == RedirectsMax {
			return nil, refuse("%s redirects more than %d times", u.Host, RedirectsMax)
		}
		if hop, err = hop.next(res.StatusCode, location); err != nil {
			return nil, err
		}
	}
}

// excepted returns where a request goes that the configuration allows, and
// whether that may be beside this machine; nil for all others.
func (c *Client) excepted(u *url.URL) (to *url.URL, private bool) {
	for _, e := range c.exceptions {
		// The path is compared as it is sent: no dots, no escapes, no empty parts.
		if origin := originOf(u); (origin == e.Origin || origin == e.Name) && strings.HasPrefix(cmp.Or(u.Path, "/"), e.Path) && u.EscapedPath() == u.Path &&
			!strings.Contains(u.Path, "..") && !strings.Contains(u.Path, "//") {
			own := *u
			own.Scheme, own.Host, _ = strings.Cut(e.Origin, "://")
			return &own, e.Private
		}
	}
	return nil, false
}

// originOf is scheme, host and port as written; a port that is the scheme's
// own is left out.
func originOf(u *url.URL) string {
	host := strings.ToLower(u.Host)
	switch u.Scheme {
	case "http":
		host = strings.TrimSuffix(host, ":80")
	case "https":
		host = strings.TrimSuffix(host, ":443")
	}
	return u.Scheme + "://" + host
}

// limited is a body with a limit.
type limited struct {
	io.ReadCloser
	left int64
}

func limit(body io.ReadCloser, n int64) io.ReadCloser {
	if n <= 0 {
		n = BodyMax
	}
	return &limited{body, n}
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, ErrTooLarge
	}
	if int64(len(p)) > l.left+1 { // one more byte tells that there is more
		p = p[:l.left+1]
	}
	n, err := l.ReadCloser.Read(p)
	l.left -= int64(n)
	if l.left < 0 {
		return n - 1, ErrTooLarge
	}
	return n, err //nolint:wrapcheck // io.EOF has to stay itself
}
