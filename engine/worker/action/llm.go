package action

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"signalbox/engine/guard"
	"signalbox/engine/worker"
)

// LLM asks a language model over the OpenAI-compatible protocol.
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
	if err := json.Unmarshal(c.Config, &cfg); err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The model's configuration cannot be read: "+err.Error())
	}
	var schema *jsonschema.Schema
	if len(cfg.JSONSchema) > 0 && string(cfg.JSONSchema) != "null" {
		var err error
		if schema, err = compileSchema(cfg.JSONSchema); err != nil {
			return nil, worker.Fail(worker.ClassInvalidInput, "The JSON Schema is not valid: "+err.Error())
		}
	}
	out, err := l.ask(ctx, c, &cfg)
	if err != nil {
		return nil, err
	}
	if schema != nil {
		fault := fits(schema, out)
		if fault != nil {
			cfg.Messages = append(cfg.Messages, message{"assistant", out.Text}, message{"user", "That does not fit the JSON Schema: " + fault.Error() + ". Answer again with JSON only."})
			first := out.Usage
			if out, err = l.ask(ctx, c, &cfg); err != nil {
				return nil, err
			}
			out.Usage.In, out.Usage.Out = out.Usage.In+first.In, out.Usage.Out+first.Out
			fault = fits(schema, out)
		}
		if fault != nil {
			return nil, worker.Fail(worker.ClassBadOutput, "The model's answer does not fit the JSON Schema: "+fault.Error())
		}
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return nil, fmt.Errorf("write the answer: %w", err)
	}
	return raw, nil
}

// refuseLoader keeps a schema from reading files or addresses.
type refuseLoader struct{}

// Load implements jsonschema.URLLoader.
func (refuseLoader) Load(string) (any, error) {
	return nil, errors.New("a schema cannot refer to other places")
}

func compileSchema(raw json.RawMessage) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	comp := jsonschema.NewCompiler()
	comp.UseLoader(refuseLoader{})
	if err := comp.AddResource("schema.json", doc); err != nil {
		return nil, err //nolint:wrapcheck // shown as it is
	}
	return comp.Compile("schema.json") //nolint:wrapcheck // shown as it is
}

// fits reads the text as JSON, with or without a fence around it, and checks
// it.
func fits(schema *jsonschema.Schema, out *llmOutput) error {
	text := strings.TrimSpace(out.Text)
	text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(text, "```json"), "```"), "```")
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return errors.New("it is not JSON")
	}
	if err := schema.Validate(v); err != nil {
		return err //nolint:wrapcheck // shown as it is
	}
	out.JSON = json.RawMessage(strings.TrimSpace(text))
	return nil
}

// ask sends the messages and collects the stream.
func (l LLM) ask(ctx context.Context, c worker.Call, cfg *llmConfig) (*llmOutput, error) {
	req := chatRequest{Model: cfg.Model, Messages: cfg.Messages, Temperature: cfg.Temperature, MaxTokens: cfg.MaxTokens, Stream: true, StreamOptions: map[string]bool{"include_usage": true}}
	if len(cfg.JSONSchema) > 0 && string(cfg.JSONSchema) != "null" {
		req.Format = map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "answer", "schema": cfg.JSONSchema}}
	}
	body, err := json.Marshal(req)
	if err != nil {
		return nil, fmt.Errorf("write the request: %w", err)
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(cfg.BaseURL, "/")+"/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, fmt.Sprintf("%.100q is not a web address.", cfg.BaseURL))
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "text/event-stream")
	if cfg.Credential != "" {
		secret, err := c.Secret(ctx, cfg.Credential)
		if err != nil {
			return nil, worker.Fail(worker.ClassUnauthorized, fmt.Sprintf("The credential %q cannot be opened.", cfg.Credential))
		}
		if name, value, ok := secret.HeaderField(); ok {
			r.Header.Set(name, value)
		}
	}
	res, err := l.client.Do(r)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode >= http.StatusBadRequest {
		text, err := guard.ReadBody(ctx, res.Body)
		if err != nil {
			return nil, sendFailure(ctx, err)
		}
		return nil, statusFailure(res, text)
	}
	out, err := collect(res.Body, c.Progress)
	if err != nil {
		return nil, sendFailure(ctx, err)
	}
	if out.Model == "" {
		out.Model = cfg.Model
	}
	return out, nil
}

// chunk is one piece of the stream.
type chunk struct {
	Model   string `json:"model"`
	Choices []struct {
		Delta        message `json:"delta"`
		Message      message `json:"message"` // of a server that does not stream
		FinishReason string  `json:"finish_reason"`
	} `json:"choices"`
	Usage *struct {
		In  int `json:"prompt_tokens"`
		Out int `json:"completion_tokens"`
	} `json:"usage"`
}

// collect reads server-sent events, or one whole answer.
func collect(body io.Reader, progress func(string)) (*llmOutput, error) {
	out := &llmOutput{}
	sc := bufio.NewScanner(io.LimitReader(body, guard.BodyMax+1))
	sc.Buffer(make([]byte, 0, 64<<10), guard.BodyMax)
	for sc.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(sc.Text(), "data:"))
		if line == "" || strings.HasPrefix(line, ":") {
			continue
		}
		if line == "[DONE]" {
			break
		}
		var ch chunk
		if json.Unmarshal([]byte(line), &ch) != nil {
			continue
		}
		out.add(&ch, progress)
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return out, nil
}

func (o *llmOutput) add(ch *chunk, progress func(string)) {
	if ch.Model != "" {
		o.Model = ch.Model
	}
	if ch.Usage != nil {
		o.Usage = usage{ch.Usage.In, ch.Usage.Out}
	}
	for _, choice := range ch.Choices {
		if text := choice.Delta.Content + choice.Message.Content; text != "" {
			o.Text += text
			progress(text)
		}
		if choice.FinishReason != "" {
			o.FinishReason = choice.FinishReason
		}
	}
}
