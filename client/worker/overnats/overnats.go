// Package overnats lets a worker ask over NATS in place of HTTP: one connection
// for everything, and nothing to poll through a proxy.
//
// The server has to listen for workers (--worker-listen), or share its NATS
// with an account for workers; docs/workers.md says how.
package overnats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"signalbox/client/worker"
)

const (
	service    = "worker.v1."
	answerMax  = 45 * time.Second
	messageMax = 900 << 10 // NATS has 1 MiB, of which headers need some
)

// Transport asks over NATS.
type Transport struct {
	conn  *nats.Conn
	token string
}

var _ worker.Transport = (*Transport)(nil)

// Dial connects. With the server's own NATS the API token is all that it takes;
// further options name the credentials of another one.
func Dial(url, token string, options ...nats.Option) (*Transport, error) {
	all := append([]nats.Option{
		nats.Token(token), nats.CustomInboxPrefix(inbox(token)), nats.MaxReconnects(-1), nats.Name("signalbox worker"),
	}, options...)
	conn, err := nats.Connect(url, all...)
	if err != nil {
		return nil, fmt.Errorf("connect to NATS: %w", err)
	}
	return &Transport{conn, token}, nil
}

// inbox is the only place where the holder of a token may hear answers.
func inbox(token string) string {
	sum := sha256.Sum256([]byte("inbox:" + token))
	return "_INBOX_" + hex.EncodeToString(sum[:16])
}

// MessageMax implements worker.Transport.
func (*Transport) MessageMax() int { return messageMax }

// Ask implements worker.Transport.
func (t *Transport) Ask(ctx context.Context, q worker.Question) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerMax)
	defer cancel()
	m := nats.NewMsg(service + q.Op)
	m.Data = q.Body
	m.Header.Set("Signalbox-Token", t.token)
	if q.Lease != "" {
		m.Header.Set("Signalbox-Lease", q.Lease)
	}
	if q.Offset > 0 {
		m.Header.Set("Signalbox-Offset", strconv.Itoa(q.Offset))
	}
	answer, err := t.conn.RequestMsgWithContext(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("ask %s: %w", q.Op, err)
	}
	status, err := strconv.Atoi(answer.Header.Get("Signalbox-Status"))
	if err != nil {
		return nil, errors.New("the answer came from somebody else")
	}
	if status == 200 {
		return answer.Data, nil
	}
	var no struct{ Detail string }
	if json.Unmarshal(answer.Data, &no) != nil || no.Detail == "" {
		no.Detail = "The server answers " + strconv.Itoa(status) + "."
	}
	return nil, &worker.Refusal{Status: status, Detail: no.Detail}
}

// Close ends the connection.
func (t *Transport) Close() { t.conn.Close() }
