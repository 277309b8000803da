package nats

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/runtime"
)

// shardsTopic is the topic on the bus that says that servers or shards came or
// went.
const shardsTopic = "shards"

// Peers implements runtime.Peers: questions to the owner of a shard go by
// request and reply, which says at once when nobody listens.
type Peers struct {
	conn   *Conn
	bus    *Bus
	nudged chan struct{}
}

var _ runtime.Peers = (*Peers)(nil)

// NewPeers makes this server's end. It ends with the connection.
func NewPeers(conn *Conn, bus *Bus) (*Peers, error) {
	p := &Peers{conn: conn, bus: bus, nudged: make(chan struct{}, 1)}
	_, err := bus.Subscribe(shardsTopic, func(string, []byte) { signal(p.nudged) })
	if err != nil {
		return nil, err
	}
	return p, nil
}

func askSubject(shard int) string { return "ask." + strconv.Itoa(shard) }

// Ask implements runtime.Peers.
func (p *Peers) Ask(ctx context.Context, shard int, question []byte) ([]byte, error) {
	if !p.conn.nc.IsConnected() {
		return nil, fmt.Errorf("%w: %w", runtime.ErrNoOwner, errNotConnected)
	}
	m, err := p.conn.nc.RequestWithContext(ctx, askSubject(shard), question)
	if errors.Is(err, client.ErrNoResponders) {
		return nil, runtime.ErrNoOwner
	}
	if err != nil {
		return nil, fmt.Errorf("ask the owner of shard %d: %w", shard, err)
	}
	return m.Data, nil
}

// Answer implements runtime.Peers. Questions that came before the end are
// passed on after it too.
func (p *Peers) Answer(ctx context.Context, shard int, fn func([]byte, func([]byte))) error {
	sub, err := p.conn.nc.Subscribe(askSubject(shard), func(m *client.Msg) {
		fn(m.Data, func(answer []byte) { p.conn.send(m.Reply, answer) })
	})
	if err != nil {
		return fmt.Errorf("listen to questions to shard %d: %w", shard, err)
	}
	<-ctx.Done()
	_ = sub.Drain() // what has come is answered; it fails only when the connection is closed
	return nil
}

// Nudge implements runtime.Peers. One that is lost costs the time between two
// renewals of a lease.
func (p *Peers) Nudge() {
	if err := p.bus.Publish(shardsTopic, nil); err != nil {
		p.conn.note("the other servers do not hear of a change of owners at once", err)
	}
}

// Nudged implements runtime.Peers.
func (p *Peers) Nudged() <-chan struct{} { return p.nudged }

// Connected implements runtime.Peers.
func (p *Peers) Connected() bool { return p.conn.nc.IsConnected() }
