package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"signalbox/engine/pg"
	"signalbox/engine/problem"
	"signalbox/engine/proposal"
	"signalbox/engine/task"
	"signalbox/engine/vault"
	"signalbox/engine/worker"
)

// adviser lets the actions of workers answer for a proposal: the same way out,
// through the same guard, with the same credentials.
type adviser struct {
	actions map[string]worker.Action
	vault   *vault.Vault
}

// proposals asks models in this process, whatever workers there are.
func (a *App) proposals() (*proposal.Service, error) {
	own, err := actions(a.loopback(), false, nil)
	if err != nil {
		return nil, err
	}
	return proposal.New(pg.NewAssistants(a.base.db.Pool()), adviser{actions: own, vault: a.vault}, time.Now), nil
}

var _ proposal.Model = adviser{}

// Ask implements proposal.Model.
func (a adviser) Ask(ctx context.Context, workspace string, s proposal.Setting, q proposal.Question) (string, error) {
	kind, config := "llm", any(map[string]any{"base_url": s.BaseURL, "model": s.Model, "credential": s.Credential, "messages": q.Messages, "json_schema": q.Schema, "temperature": 0})
	if s.Provider == "mock" {
		kind, config = "mock", map[string]any{"answer": s.Answer}
	}
	raw, err := json.Marshal(config)
	if err != nil {
		return "", fmt.Errorf("ask a model: %w", err)
	}
	out, err := a.actions[kind].Do(ctx, worker.Call{
		Task: task.Task{Attempt: 1, Workspace: workspace}, Config: raw,
		Secret: func(ctx context.Context, name string) (vault.Secret, error) {
			return a.vault.Secret(ctx, workspace, name)
		},
		Progress: func(string) {},
		By:       func(string) {},
	})
	var failed *worker.Failure
	switch {
	case errors.As(err, &failed):
		return "", proposal.NoAnswer(failed.Message)
	case problem.Of(err) != nil:
		return "", err //nolint:wrapcheck // a *problem.Problem
	case err != nil:
		return "", fmt.Errorf("ask a model: %w", err)
	}
	return spoken(kind, out), nil
}

// spoken is what a model said.
func spoken(kind string, out json.RawMessage) string {
	var said struct {
		Text string          `json:"text"`
		JSON json.RawMessage `json:"json"`
	}
	if kind == "mock" || json.Unmarshal(out, &said) != nil {
		var text string
		if json.Unmarshal(out, &text) == nil {
			return text
		}
		return string(out)
	}
	if len(said.JSON) > 0 {
		return string(said.JSON)
	}
	return said.Text
}
