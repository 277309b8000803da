package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	answerMax = 64 << 20 // bytes of an answer that are read

	// messageBytes is what one question or answer may have, so that a slow line
	// carries it before anybody gives up; what is larger goes in pieces.
	messageBytes = 1 << 20
)

// web is the transport over HTTP.
type web struct {
	origin string
	token  string
	client *http.Client
}

// HTTP makes the transport over HTTP. A nil client is one with sensible times.
func HTTP(origin, token string, client *http.Client) (Transport, error) {
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("%q is not the address of a server; expected for example https://flows.example.org", origin)
	}
	if client == nil {
		client = &http.Client{
			Timeout: time.Minute,
			// What redirects is not Signalbox, and the token is not for it.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return &web{strings.TrimRight(origin, "/"), token, client}, nil
}

// MessageMax implements Transport.
func (*web) MessageMax() int { return messageBytes }

// path is where a question is asked.
func path(q Question) (method, path string) {
	if q.Lease == "" {
		return http.MethodPost, "/api/worker/" + q.Op
	}
	at := "/api/worker/leases/" + url.PathEscape(q.Lease) + "/"
	switch q.Op {
	case "beat":
		return http.MethodPost, at + "heartbeat"
	case "input":
		return http.MethodGet, at + "input?offset=" + strconv.Itoa(q.Offset)
	case "part":
		return http.MethodPost, at + "part?offset=" + strconv.Itoa(q.Offset)
	}
	return http.MethodPost, at + q.Op
}

// Ask implements Transport.
func (w *web) Ask(ctx context.Context, q Question) ([]byte, error) {
	method, at := path(q)
	var body io.Reader
	if method == http.MethodPost {
		body = bytes.NewReader(q.Body)
	}
	r, err := http.NewRequestWithContext(ctx, method, w.origin+at, body)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", q.Op, err)
	}
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Accept", "application/json")
	switch {
	case q.Op == "part":
		r.Header.Set("Content-Type", "application/octet-stream")
	case body != nil:
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := w.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", q.Op, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, answerMax))
	if err != nil {
		return nil, fmt.Errorf("read the answer to %s: %w", q.Op, err)
	}
	if res.StatusCode >= http.StatusMultipleChoices {
		var p struct {
			Detail string
			Status int
		}
		switch to := res.Header.Get("Location"); {
		case res.StatusCode < http.StatusBadRequest && to != "":
			return nil, fmt.Errorf("ask %s: %s redirects to %.200q; name the address of Signalbox itself", q.Op, res.Request.URL.Host, to)
		case json.Unmarshal(raw, &p) != nil || p.Detail == "" || p.Status != res.StatusCode: // a proxy, or the login page of a network: not the server's word
			return nil, fmt.Errorf("ask %s: %s answers %s, which is not Signalbox's", q.Op, res.Request.URL.Host, res.Status)
		}
		return nil, &Refusal{res.StatusCode, p.Detail}
	}
	return raw, nil
}
