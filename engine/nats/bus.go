package nats

import (
	"fmt"
	"strings"

	client "github.com/nats-io/nats.go"
)

// Bus carries notices between servers: accepted draft operations, revoked
// shares, ended sessions. They may be lost; whoever listens looks at Postgres
// from time to time.
type Bus struct {
	conn *Conn
	self string // who sent it: a server does not hear itself
}

// fromHeader names the sender of a notice.
const fromHeader = "Signalbox-From"

// NewBus makes a bus for one process.
func NewBus(conn *Conn) *Bus { return &Bus{conn: conn, self: client.NewInbox()} }

// Publish tells the other servers. The topic is made of words separated by
// dots, for example "draft.<id>".
func (b *Bus) Publish(topic string, data []byte) error {
	m := &client.Msg{Subject: busSubject(topic), Data: data, Header: client.Header{fromHeader: []string{b.self}}}
	if err := b.conn.nc.PublishMsg(m); err != nil {
		return fmt.Errorf("tell the other servers about %s: %w", topic, err)
	}
	return nil
}

// Subscribe calls fn, one notice at a time, for a topic in which "*" stands
// for any one word, until stop is called.
func (b *Bus) Subscribe(topic string, fn func(topic string, data []byte)) (stop func(), err error) {
	return b.conn.subscribe(busSubject(topic), func(m *client.Msg) {
		if m.Header.Get(fromHeader) == b.self {
			return
		}
		parts := strings.Split(strings.TrimPrefix(m.Subject, "control."), ".")
		for i := range parts {
			parts[i] = name(parts[i])
		}
		fn(strings.Join(parts, "."), m.Data)
	})
}

func busSubject(topic string) string {
	parts := strings.Split(topic, ".")
	for i, p := range parts {
		if p != "*" {
			parts[i] = token(p)
		}
	}
	return "control." + strings.Join(parts, ".")
}
