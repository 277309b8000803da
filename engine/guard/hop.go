package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// hop is one request on the way to the answer.
type hop struct {
	judge  func(netip.Addr) error
	method string
	url    *url.URL
	header http.Header
	body   []byte
}

func (h hop) send(ctx context.Context, t *http.Transport) (*http.Response, error) {
	var body io.Reader
	if h.body != nil {
		body = bytes.NewReader(h.body)
	}
	req, err := http.NewRequestWithContext(ctx, h.method, h.url.String(), body)
	if err != nil {
		return nil, refuse("the request cannot be made: %v", err)
	}
	req.Header = h.header
	res, err := t.RoundTrip(req)
	if err == nil {
		return res, nil
	}
	var refused *Refusal
	if errors.As(err, &refused) {
		return nil, refused
	}
	return nil, fmt.Errorf("call %s: %w", h.url.Host, err)
}

func redirects(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// next is the hop that a redirect asks for. Another origin gets nothing that
// was meant for this one: no header but two, and no body.
func (h hop) next(status int, location string) (hop, error) {
	to, err := h.url.Parse(location)
	if err != nil {
		return hop{}, refuse("%s redirects to an address that cannot be read", h.url.Host)
	}
	to.Fragment = ""
	if to, err = parse(to.String()); err != nil {
		return hop{}, err
	}
	if err := judgeHost(to, h.judge); err != nil {
		return hop{}, err
	}
	out := hop{judge: h.judge, method: h.method, url: to, header: h.header.Clone(), body: h.body}
	keeps := status == http.StatusTemporaryRedirect || status == http.StatusPermanentRedirect
	if !keeps && h.method != http.MethodGet && h.method != http.MethodHead {
		out.method, out.body = http.MethodGet, nil
		out.header.Del("Content-Type")
	}
	if originOf(to) == originOf(h.url) {
		return out, nil
	}
	if out.body != nil {
		return hop{}, refuse("%s wants the body to be sent to %s instead; name that address if it is right", h.url.Host, to.Host)
	}
	kept := http.Header{}
	for _, name := range []string{"Accept", "User-Agent"} {
		if v := out.header.Get(name); v != "" {
			kept.Set(name, v)
		}
	}
	out.header = kept
	return out, nil
}

// parse reads an address and refuses what has more than one meaning.
func parse(raw string) (*url.URL, error) {
	if len(raw) > urlMax {
		return nil, refuse("an address may have %d characters", urlMax)
	}
	if strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return nil, refuse("the address holds a space, a backslash or a control character")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, refuse("the address cannot be read")
	}
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, refuse("the address needs to begin with http:// or https://")
	case u.User != nil:
		return nil, refuse("the address holds a user name; use a credential")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, refuse("the address names no host")
	case u.Port() == "0" || strings.HasSuffix(u.Host, ":"):
		return nil, refuse("the address names no port that can be reached")
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

// ours are headers that belong to the connection, not to the author.
func ours(name string) bool {
	switch name {
	case "Host", "Connection", "Content-Length", "Transfer-Encoding", "Upgrade", "Te", "Trailer", "Keep-Alive", "Proxy-Connection",
		"Proxy-Authorization", "Proxy-Authenticate", "Expect", "Accept-Encoding":
		return true
	}
	return false
}

// clean copies headers and refuses those that could change the request itself.
func clean(h http.Header) (http.Header, error) {
	out := make(http.Header, len(h))
	for name, values := range h {
		if !httpguts.ValidHeaderFieldName(name) {
			return nil, refuse("%.60q is not the name of a header", name)
		}
		name = http.CanonicalHeaderKey(name)
		if ours(name) {
			return nil, refuse("the header %s cannot be set", name)
		}
		for _, v := range values {
			if !httpguts.ValidHeaderFieldValue(v) {
				return nil, refuse("the value of the header %s holds a control character", name)
			}
			out.Add(name, v)
		}
	}
	return out, nil
}
