// Package nats is the event channel: tasks on their way to workers, results on
// their way back, live traces, and notices between servers.
//
// It is a channel, not a store: JetStream may lose everything that it holds,
// at any time, and no run is lost or stuck by it. What was made anew is said on
// Lost, and the runtime issues again what it owes.
//
// Streams and subjects:
//
//	TASKS    task.<workspace>.<queue>.<priority>.<run>.<node>.<visit>.<attempt>
//	EVENTS   event.<workspace>.<workflow>.<type>
//	core     result.<shard>, ask.<shard>, trace.<workspace>.<run>, live.<workspace>.<run>,
//	         control.<topic>
package nats

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	client "github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// How a connection behaves.
const (
	reconnectWait   = 250 * time.Millisecond
	reconnectJitter = 250 * time.Millisecond
	reconnectBytes  = 4 << 20 // what is published while the server is away; more is refused
	pingEvery       = 10 * time.Second
	pingsOut        = 2 // a server that leaves so many unanswered is gone
	firstWait       = 5 * time.Second
)

// Config says how to reach a server.
type Config struct {
	// InProcess is an embedded server; nil: URL is used.
	InProcess client.InProcessConnProvider
	// URL of one or several servers, separated by commas; tls:// for TLS.
	URL string
	// Token is shown to the server; empty: none.
	Token string
	// Credentials is the path of a .creds file; empty: none.
	Credentials string
	// Authorities is the path of PEM certificates to trust beside the
	// system's; empty: none.
	Authorities string
	// Certificate and Key are paths of a client certificate; empty: none.
	Certificate string
	Key         string
	// Name of this process, shown in the server's list of connections.
	Name string
	Log  *slog.Logger
	Now  func() time.Time // nil is time.Now
}

// Conn is one connection. It comes back by itself, for ever.
type Conn struct {
	cfg Config
	nc  *client.Conn
	js  jetstream.JetStream

	mu    sync.Mutex
	again map[chan struct{}]bool // who wants to know that it came back
	fault atomic.Pointer[string] // the last asynchronous error, for health
}

// Connect opens a connection. An external server that is not there yet is no
// error: it is tried for ever.
func Connect(cfg Config) (*Conn, error) {
	if cfg.InProcess == nil && cfg.URL == "" {
		return nil, errors.New("NATS needs an embedded server or a URL")
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now //nolint:forbidigo // the one place where this adapter's clock comes from
	}
	c := &Conn{cfg: cfg, again: map[chan struct{}]bool{}}
	nc, err := client.Connect(cfg.URL, c.options()...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	js, err := jetstream.New(nc)
	if err != nil {
		nc.Close()
		return nil, fmt.Errorf("use JetStream: %w", err)
	}
	c.nc, c.js = nc, js
	return c, nil
}

func (c *Conn) options() []client.Option {
	cfg := c.cfg
	list := []client.Option{
		client.Name(cfg.Name), client.MaxReconnects(-1), client.RetryOnFailedConnect(true),
		client.ReconnectWait(reconnectWait), client.ReconnectJitter(reconnectJitter, reconnectJitter),
		client.ReconnectBufSize(reconnectBytes), client.Timeout(firstWait),
		client.PingInterval(pingEvery), client.MaxPingsOutstanding(pingsOut),
		client.ConnectHandler(func(*client.Conn) { c.returned() }),
		client.ReconnectHandler(func(*client.Conn) { c.returned() }),
		client.DisconnectErrHandler(func(_ *client.Conn, err error) {
			if err != nil {
				c.note("the connection to NATS is lost", err)
			}
		}),
		client.ErrorHandler(func(_ *client.Conn, _ *client.Subscription, err error) { c.note("NATS reports an error", err) }),
	}
	if cfg.InProcess != nil {
		list = append(list, client.InProcessServer(cfg.InProcess))
	}
	if cfg.Token != "" {
		list = append(list, client.Token(cfg.Token))
	}
	if cfg.Credentials != "" {
		list = append(list, client.UserCredentials(cfg.Credentials))
	}
	if cfg.Authorities != "" {
		list = append(list, client.RootCAs(cfg.Authorities))
	}
	if cfg.Certificate != "" {
		list = append(list, client.ClientCert(cfg.Certificate, cfg.Key))
	}
	return list
}

func (c *Conn) note(what string, err error) {
	text := what + ": " + err.Error()
	c.fault.Store(&text)
	c.cfg.Log.Warn("nats", "state", what, "err", err)
}

// returned tells everybody that the connection is there again.
func (c *Conn) returned() {
	c.fault.Store(nil)
	c.mu.Lock()
	defer c.mu.Unlock()
	for wake := range c.again {
		signal(wake)
	}
}

// back returns a channel that says when the connection came back.
func (c *Conn) back() (wake chan struct{}, stop func()) {
	wake = make(chan struct{}, 1)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.again[wake] = true
	return wake, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.again, wake)
	}
}

func signal(wake chan struct{}) {
	select {
	case wake <- struct{}{}:
	default:
	}
}

// Health says in a sentence what is wrong; empty: nothing.
func (c *Conn) Health() string {
	if c.nc.IsConnected() {
		return ""
	}
	if text := c.fault.Load(); text != nil {
		return *text
	}
	return "There is no connection to NATS."
}

// Flush waits until the server has seen everything published so far.
func (c *Conn) Flush(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, apiWait) // the client wants one
	defer cancel()
	if err := c.nc.FlushWithContext(ctx); err != nil {
		return fmt.Errorf("flush to NATS: %w", err)
	}
	return nil
}

// Close sends what is buffered and closes the connection.
func (c *Conn) Close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if c.nc.IsConnected() {
		_ = c.nc.FlushWithContext(ctx) // it is closed either way
	}
	c.nc.Close()
}

// subscribe calls fn for every message, one at a time, until stop is called.
func (c *Conn) subscribe(subject string, fn func(*client.Msg)) (stop func(), err error) {
	sub, err := c.nc.Subscribe(subject, fn)
	if err != nil {
		return nil, fmt.Errorf("subscribe to %s: %w", subject, err)
	}
	if err := sub.SetPendingLimits(pendingMax, pendingBytes); err != nil {
		return nil, fmt.Errorf("set limits of %s: %w", subject, err)
	}
	return func() { _ = sub.Unsubscribe() }, nil // fails only when the connection is closed
}

// Limits of what waits in this process for one subscription; the server's
// messages beyond it are dropped, which every receiver survives.
const (
	pendingMax   = 500_000
	pendingBytes = 256 << 20
)
