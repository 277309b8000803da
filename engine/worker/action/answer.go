package action

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"signalbox/engine/worker"
)

// lineMax is the size of one server-sent event.
const lineMax = 4 << 20

// answer gathers what a model says.
type answer struct {
	llmOutput

	progress func(string)
	ended    bool
}

// chunk is one piece of a streamed answer, or a whole one.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Index        int     `json:"index"`
		Delta        message `json:"delta"`
		Message      message `json:"message"`
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	} `json:"usage"`
	Error json.RawMessage `json:"error"`
}

// stream reads server-sent events. A stream that breaks off is a failure: half
// an answer must not pass for one.
func (a *answer) stream(body io.Reader) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 16<<10), lineMax)
	for lines.Scan() {
		data, ok := bytes.CutPrefix(lines.Bytes(), []byte("data:"))
		if !ok {
			continue // a comment, a name, an empty line
		}
		data = bytes.TrimSpace(data)
		if string(data) == "[DONE]" {
			a.ended = true
			break
		}
		if len(data) == 0 {
			continue
		}
		if err := a.add(data); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the model's answer: %w", err)
	}
	if !a.ended {
		return worker.Fail(worker.ClassUnavailable, "The model's answer broke off.")
	}
	return nil
}

// whole reads an answer in one piece.
func (a *answer) whole(body io.Reader) error {
	raw, err := io.ReadAll(body)
	if err != nil {
		return fmt.Errorf("read the model's answer: %w", err)
	}
	if err := a.add(raw); err != nil {
		return err
	}
	if !a.ended && a.Text == "" {
		return worker.Fail(worker.ClassBadOutput, "The model's server answered without a message.")
	}
	return nil
}

func (a *answer) add(raw []byte) error {
	var c chunk
	if err := json.Unmarshal(raw, &c); err != nil {
		return worker.Fail(worker.ClassBadOutput, "The model's server answered what is not its protocol.")
	}
	if len(c.Error) > 0 && string(c.Error) != "null" {
		return worker.Fail(worker.ClassUnavailable, "The model's server reports an error: "+reasonOf(raw))
	}
	if c.Model != "" {
		a.Model = c.Model
	}
	if c.Usage != nil {
		a.Usage = usage{c.Usage.In, c.Usage.Out}
	}
	for _, choice := range c.Choices {
		if choice.Index != 0 {
			continue // only one was asked for
		}
		if text := choice.Delta.Content + choice.Message.Content; text != "" {
			a.Text += text
			a.progress(text)
		}
		if choice.FinishReason != "" {
			a.FinishReason, a.ended = choice.FinishReason, true
		}
	}
	return nil
}

// unfenced is the JSON inside a text that may have a code fence around it.
func unfenced(text string) string {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, "```") {
		return text
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "```"), "json")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "```"))
}
