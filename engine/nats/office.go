package nats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	client "github.com/nats-io/nats.go"

	"signalbox/engine/problem"
	"signalbox/engine/worker/remote"
)

// The service that workers of one's own ask, and how a question says what it
// is about. The subjects are all that they can reach.
const (
	officeService = "worker.v1."
	officeGroup   = "office"
	officePeer    = "control.office."
	HeaderToken   = "Signalbox-Token"
	HeaderLease   = "Signalbox-Lease"
	HeaderOffset  = "Signalbox-Offset"
	HeaderStatus  = "Signalbox-Status"
)

// Limits of the service.
const (
	askedMax    = 20_000           // questions under way, most of which wait for a task
	answerMax   = 40 * time.Second // for an answer
	forwardMax  = 30 * time.Second // for the answer of another server
	forwardPart = 512 << 10        // bytes of an output in one message to another server
)

// Office is how a server answers workers.
type Office struct {
	// Who says whom a token stands for; a problem: nobody who may work.
	Who func(ctx context.Context, token string) (remote.Caller, error)
	Ask func(ctx context.Context, c remote.Caller, q remote.Question) ([]byte, error)
	// Answer is Ask for questions that another server has passed on.
	Answer func(ctx context.Context, c remote.Caller, q remote.Question) ([]byte, error)
	Name   string // of this server, in the leases that it gives
}

// ServeOffice answers workers, and other servers, until the context ends.
func (c *Conn) ServeOffice(ctx context.Context, o Office) error {
	slots := make(chan struct{}, askedMax)
	var under sync.WaitGroup
	defer under.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	answer := func(m *client.Msg, do func(context.Context) ([]byte, error)) {
		select {
		case slots <- struct{}{}:
		default:
			c.reply(m, nil, problem.New(problem.Unavailable, "Too many questions are under way here."))
			return
		}
		under.Go(func() {
			defer func() { <-slots }()
			limit, stop := context.WithTimeout(ctx, answerMax)
			defer stop()
			raw, err := do(limit)
			c.reply(m, raw, err)
		})
	}
	sub, err := c.nc.QueueSubscribe(officeService+"*", officeGroup, func(m *client.Msg) {
		answer(m, func(ctx context.Context) ([]byte, error) { return o.asked(ctx, m) })
	})
	if err != nil {
		return fmt.Errorf("serve workers over NATS: %w", err)
	}
	defer func() { _ = sub.Unsubscribe() }() // fails only when the connection is closed
	stop, err := c.subscribe(officePeer+token(o.Name), func(m *client.Msg) {
		answer(m, func(ctx context.Context) ([]byte, error) {
			var f forwarded
			if err := json.Unmarshal(m.Data, &f); err != nil {
				return nil, problem.New(problem.Invalid, "The question cannot be read.")
			}
			return o.Answer(ctx, f.Caller, f.Question)
		})
	})
	if err != nil {
		return err
	}
	defer stop()
	<-ctx.Done()
	return nil
}

// asked reads and answers a worker's question.
func (o *Office) asked(ctx context.Context, m *client.Msg) ([]byte, error) {
	who, err := o.Who(ctx, m.Header.Get(HeaderToken))
	if err != nil {
		return nil, err
	}
	offset, err := strconv.Atoi(m.Header.Get(HeaderOffset))
	if err != nil {
		offset = 0
	}
	return o.Ask(ctx, who, remote.Question{
		Op: strings.TrimPrefix(m.Subject, officeService), Lease: m.Header.Get(HeaderLease), Offset: offset, Body: m.Data,
	})
}

// reply sends an answer, or what is wrong.
func (c *Conn) reply(m *client.Msg, raw []byte, err error) {
	if m.Reply == "" {
		return
	}
	out := client.NewMsg(m.Reply)
	out.Data = raw
	status := 200
	if err != nil {
		status, out.Data = c.refusal(err)
	}
	out.Header.Set(HeaderStatus, strconv.Itoa(status))
	if err := c.nc.PublishMsg(out); err != nil {
		c.note("an answer to a worker was not sent", err)
	}
}

// refusal is an error as a worker hears it: the same status and sentence as
// over HTTP.
func (c *Conn) refusal(err error) (status int, body []byte) {
	status, p := 500, problem.Of(err)
	if p == nil {
		if !errors.Is(err, context.Canceled) {
			c.note("a worker's question failed", err)
		}
		p = problem.New(problem.Unavailable, "Something went wrong in the server; its log says what.")
	} else {
		status = statusOf[p.Code]
	}
	body, err = json.Marshal(refusedBody{status, p.Detail, p.Fields})
	if err != nil {
		return status, nil // only texts
	}
	return status, body
}

// refusedBody is an answer that says no.
type refusedBody struct {
	Status int             `json:"status"`
	Detail string          `json:"detail"`
	Errors []problem.Field `json:"errors,omitempty"`
}

// statusOf are the codes as HTTP has them.
var statusOf = map[problem.Code]int{ //nolint:gochecknoglobals // a constant in all but name
	problem.Invalid: 422, problem.NotFound: 404, problem.Conflict: 409, problem.Forbidden: 403, problem.Unauthorized: 401,
	problem.TooLarge: 413, problem.TooMany: 429, problem.Unavailable: 503,
}

// forwarded is a question on its way to the server that knows its lease.
type forwarded struct {
	Caller   remote.Caller   `json:"caller"`
	Question remote.Question `json:"question"`
}

// Forward implements remote.Peers.
func (c *Conn) Forward(ctx context.Context, server string, who remote.Caller, q remote.Question) ([]byte, error) {
	if q.Op == remote.OpComplete && len(q.Body) > forwardPart {
		for at := 0; at < len(q.Body); at += forwardPart {
			part := remote.Question{Op: remote.OpPart, Lease: q.Lease, Offset: at, Body: q.Body[at:min(at+forwardPart, len(q.Body))]}
			if _, err := c.Forward(ctx, server, who, part); err != nil {
				return nil, err
			}
		}
		q.Body = nil
	}
	raw, err := json.Marshal(forwarded{who, q})
	if err != nil {
		return nil, fmt.Errorf("pass a worker's question on: %w", err)
	}
	limit, cancel := context.WithTimeout(ctx, forwardMax)
	defer cancel()
	m, err := c.nc.RequestWithContext(limit, officePeer+token(server), raw)
	switch {
	case errors.Is(err, client.ErrNoResponders):
		return nil, problem.New(problem.NotFound, "The server that gave this lease has gone. If the task is still wanted it is handed out again, with the same idempotency key.")
	case err != nil:
		return nil, problem.New(problem.Unavailable, "The server that gave this lease does not answer; ask again in a moment.")
	}
	if m.Header.Get(HeaderStatus) == "200" {
		return m.Data, nil
	}
	var no refusedBody
	if err := json.Unmarshal(m.Data, &no); err != nil {
		return nil, fmt.Errorf("read the answer of another server: %w", err)
	}
	for code, status := range statusOf {
		if status == no.Status {
			p := problem.New(code, "%s", no.Detail)
			p.Fields = no.Errors
			return nil, p
		}
	}
	return nil, problem.New(problem.Unavailable, "%s", no.Detail)
}
