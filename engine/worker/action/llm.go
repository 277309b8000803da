package action

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"

	"signalbox/engine/guard"
	"signalbox/engine/worker"
	"signalbox/engine/worker/shape"
)

// baseURLUsual is where the protocol comes from.
const baseURLUsual = "https://api.openai.com/v1"

// LLM asks a language model over the OpenAI-compatible protocol, which most
// servers of models speak.
type LLM struct{ client *guard.Client }

var _ worker.Action = LLM{}

// NewLLM makes the action.
func NewLLM(client *guard.Client) LLM { return LLM{client} }

type llmConfig struct {
	BaseURL     string          `json:"base_url"`
	Credential  string          `json:"credential"`
	Model       string          `json:"model"`
	Messages    []message       `json:"messages"`
	Temperature *float64        `json:"temperature"`
	MaxTokens   *int            `json:"max_tokens"`
	JSONSchema  json.RawMessage `json:"json_schema"`
}

type message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// chatRequest is what goes out.
type chatRequest struct {
	Model         string          `json:"model"`
	Messages      []message       `json:"messages"`
	Temperature   *float64        `json:"temperature,omitempty"`
	MaxTokens     *int            `json:"max_tokens,omitempty"`
	Stream        bool            `json:"stream"`
	StreamOptions map[string]bool `json:"stream_options,omitempty"`
	Format        any             `json:"response_format,omitempty"`
}

// usage counts tokens.
type usage struct {
	In  int `json:"in"`
	Out int `json:"out"`
}

// llmOutput is what the step puts out.
type llmOutput struct {
	Text         string          `json:"text"`
	JSON         json.RawMessage `json:"json,omitempty"`
	Usage        usage           `json:"usage"`
	FinishReason string          `json:"finish_reason"`
	Model        string          `json:"model"`
}

// Do implements worker.Action. An answer that does not fit its schema is shown
// to the model once, with what is wrong.
func (l LLM) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	var cfg llmConfig
	if err := readConfig(c.Config, &cfg); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The model's configuration cannot be read: "+err.Error())
	}
	form, err := shape.New(cfg.JSONSchema)
	if err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The JSON Schema is not valid: "+err.Error())
	}
	out, err := l.ask(ctx, c, &cfg, form != nil)
	if err != nil {
		return nil, err
	}
	if fault := fit(form, out); fault != nil {
		cfg.Messages = append(cfg.Messages, message{"assistant", out.Text}, message{"user", "That does not fit: " + fault.Error() + ". Answer again, with JSON only."})
		first := out.Usage
		if out, err = l.ask(ctx, c, &cfg, true); err != nil {
			return nil, err
		}
		out.Usage.In, out.Usage.Out = out.Usage.In+first.In, out.Usage.Out+first.Out
		if fault := fit(form, out); fault != nil {
			return nil, worker.Fail(worker.ClassBadOutput, "The model's answer does not fit the JSON Schema: "+fault.Error()+".")
		}
	}
	out.Text, _ = storable(out.Text).(string)
	return encode(out)
}

// ask sends the messages and collects the answer.
func (l LLM) ask(ctx context.Context, c worker.Call, cfg *llmConfig, shaped bool) (*llmOutput, error) {
	req, err := cfg.request(shaped)
	if err != nil {
		return nil, err
	}
	if cfg.Credential != "" {
		if err := join(ctx, c, cfg.Credential, req.Header); err != nil {
			return nil, err
		}
	}
	res, err := l.client.Do(ctx, req)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusBadRequest {
		body, err := io.ReadAll(res.Body)
		if err != nil {
			return nil, sendFailure(ctx, err)
		}
		return nil, statusFailure(res, body)
	}
	out := &answer{progress: c.Progress}
	if media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type")); media == "application/json" {
		err = out.whole(res.Body) // a server that does not stream
	} else {
		err = out.stream(res.Body)
	}
	var failed *worker.Failure
	if errors.As(err, &failed) {
		return nil, failed
	}
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	if out.Model == "" {
		out.Model = cfg.Model
	}
	return &out.llmOutput, nil
}

func (c *llmConfig) request(shaped bool) (guard.Request, error) {
	chat := chatRequest{
		Model: c.Model, Messages: c.Messages, Temperature: c.Temperature, MaxTokens: c.MaxTokens,
		Stream: true, StreamOptions: map[string]bool{"include_usage": true},
	}
	if shaped {
		chat.Format = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": c.JSONSchema}}
	}
	body, err := encode(chat)
	if err != nil {
		return guard.Request{}, fmt.Errorf("ask the model: %w", err)
	}
	base := c.BaseURL
	if base == "" {
		base = baseURLUsual
	}
	return guard.Request{
		Method: http.MethodPost, URL: strings.TrimRight(base, "/") + "/chat/completions", Body: body,
		Header: http.Header{"Content-Type": {"application/json"}, "Accept": {"text/event-stream"}},
	}, nil
}
