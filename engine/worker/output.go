package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"sync"
	"time"
	"unicode/utf8"

	"signalbox/engine/event"
	"signalbox/engine/graph"
	"signalbox/engine/task"
)

// Limits of what an attempt gives back.
const (
	OutputMax  = 4 << 20   // bytes of an output
	outputDeep = 512       // levels of nesting
	inlineMax  = 256 << 10 // a larger output is stored first and sent as a reference: a message of the channel may have 1 MiB
	detailsMax = 16 << 10  // bytes of a failure's details
	messageMax = 2_000     // characters of a failure's message
	storeMax   = 30 * time.Second
)

// checkers are used again: every output is checked.
var checkers = sync.Pool{New: func() any { return new(graph.Checker) }} //nolint:gochecknoglobals // holds no state

// pack checks an output, cuts secrets out and stores it when it is large.
func (p *Pool) pack(ctx context.Context, t *task.Task, output json.RawMessage) (json.RawMessage, *event.Payload, error) {
	if len(output) == 0 {
		output = json.RawMessage("null")
	}
	if len(output) > p.cfg.Output {
		return nil, nil, tooLarge(len(output), p.cfg.Output)
	}
	c := checkers.Get().(*graph.Checker) //nolint:forcetypeassert // only checkers are put there
	fault := c.Check(output, outputDeep)
	checkers.Put(c)
	if fault != nil {
		return nil, nil, Fail(ClassBadOutput, "The step's output cannot be stored: "+fault.Error())
	}
	output, err := p.redactJSON(output)
	if err != nil {
		return nil, nil, err
	}
	if len(output) > p.cfg.Output {
		return nil, nil, tooLarge(len(output), p.cfg.Output)
	}
	if len(output) <= inlineMax {
		return output, nil, nil
	}
	sum := sha256.Sum256(output)
	v, data := event.NewValue(output)
	if err := p.cfg.Payloads.PutPayload(ctx, t.Workspace, hex.EncodeToString(sum[:]), data); err != nil {
		return nil, nil, fmt.Errorf("store a large output: %w", err)
	}
	return nil, v.Payload, nil
}

func tooLarge(n, most int) *Failure {
	return Fail(ClassLimit, fmt.Sprintf("The step put out %d bytes; %d are possible.", n, most))
}

// redactJSON cuts secrets out of a JSON text. The mask is plain text, so only
// a secret that stood there as a number can leave invalid JSON behind; then the
// values are masked one by one.
func (p *Pool) redactJSON(raw json.RawMessage) (json.RawMessage, error) {
	clean := p.cfg.Redact(raw)
	if len(clean) == len(raw) && bytes.Equal(clean, raw) || json.Valid(clean) {
		return clean, nil
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		return nil, fmt.Errorf("read an output to cut secrets out: %w", err)
	}
	out, err := encode(p.redactNumbers(v))
	if err != nil {
		return nil, fmt.Errorf("write an output without secrets: %w", err)
	}
	if out = p.cfg.Redact(out); !json.Valid(out) {
		return nil, Fail(ClassInternal, "The step's output holds a secret that cannot be cut out.")
	}
	return out, nil
}

// redactNumbers turns numbers that hold a secret into masked text.
func (p *Pool) redactNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, item := range v {
			v[k] = p.redactNumbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = p.redactNumbers(item)
		}
	case json.Number:
		if clean := p.cfg.Redact([]byte(v)); string(clean) != string(v) {
			return string(clean)
		}
	}
	return v
}

// details keeps only details that are small, valid and free of secrets.
func (p *Pool) details(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 || len(raw) > detailsMax || graph.CheckJSON(raw, outputDeep) != nil {
		return nil
	}
	clean, err := p.redactJSON(raw)
	if err != nil {
		return nil
	}
	return clean
}

// encode writes JSON without escaping for HTML.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err //nolint:wrapcheck // the caller says what was encoded
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// cut shortens text to n characters at most and makes it valid.
func cut(s string, n int) string {
	if len(s) <= n && utf8.ValidString(s) {
		return s
	}
	r := []rune(s)
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}
