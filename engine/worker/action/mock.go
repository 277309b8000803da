// Package action holds what workers can do by themselves: HTTP requests,
// language models, and a mock that stands for any of them.
//
// An action gets a resolved configuration, decides nothing about retries, and
// reaches the network only through package guard.
package action

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"signalbox/engine/worker"
)

// Limits of the mock.
const (
	latencyMax = 10 * time.Minute
	wordsMax   = 2_000 // streamed one by one; a longer text comes in larger pieces
)

// Mock answers what it is told to, slowly or with errors if so asked. It lets
// every template run without a key.
type Mock struct{}

var _ worker.Action = Mock{}

type mockConfig struct {
	Answer       json.RawMessage `json:"answer"`
	Latency      float64         `json:"latency_ms"`
	FailTimes    float64         `json:"fail_times"`
	ErrorClass   string          `json:"error_class"`
	ErrorMessage string          `json:"error_message"`
	Stream       bool            `json:"stream"`
}

// Do implements worker.Action.
func (Mock) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	var m mockConfig
	if err := readConfig(c.Config, &m); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The mock's configuration cannot be read: "+err.Error())
	}
	latency := time.Duration(m.Latency * float64(time.Millisecond))
	if latency < 0 || latency > latencyMax {
		return nil, worker.Fail(worker.ClassLimit, fmt.Sprintf("A mock may take 0 to %s.", latencyMax))
	}
	fails := c.Task.Attempt <= int(m.FailTimes)
	if m.Stream && !fails {
		if err := m.speak(ctx, c, latency); err != nil {
			return nil, err
		}
	} else if err := sleep(ctx, latency); err != nil {
		return nil, err
	}
	if fails {
		f := worker.Fail(m.ErrorClass, m.ErrorMessage)
		if f.Class == "" {
			f.Class = worker.ClassUnavailable
		}
		if f.Message == "" {
			f.Message = fmt.Sprintf("The mock fails %d times, as asked; this was attempt %d.", int(m.FailTimes), c.Task.Attempt)
		}
		return nil, f
	}
	if len(m.Answer) == 0 {
		return json.RawMessage("null"), nil
	}
	return m.Answer, nil
}

// speak shows the answer word by word over the latency.
func (m mockConfig) speak(ctx context.Context, c worker.Call, latency time.Duration) error {
	words := strings.SplitAfter(m.text(), " ")
	for len(words) > wordsMax { // join neighbors
		half := words[:0]
		for i := 0; i < len(words); i += 2 {
			half = append(half, strings.Join(words[i:min(i+2, len(words))], ""))
		}
		words = half
	}
	for _, word := range words {
		if err := sleep(ctx, latency/time.Duration(len(words))); err != nil {
			return err
		}
		c.Progress(word)
	}
	return nil
}

// text is what a person would read of the answer.
func (m mockConfig) text() string {
	var s string
	if json.Unmarshal(m.Answer, &s) == nil {
		return s
	}
	var o struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(m.Answer, &o) == nil && o.Text != "" {
		return o.Text
	}
	return string(m.Answer)
}

// sleep waits unless the context ends first.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := time.NewTimer(d) //nolint:forbidigo // the wait is the effect that was asked for
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx) //nolint:wrapcheck // the pool knows its own causes
	}
}
