package action

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/google/uuid"

	"signalbox/engine/vault"
	"signalbox/engine/worker"
)

// Callback tells another system the one-time address at which a run waits for
// it: an HTTP request in which the address stands instead of {callback}. Nobody
// else gets to know it: what comes back is told without it.
type Callback struct {
	HTTP    worker.Action           // makes the request
	Address func(vault.Wait) string // nil: this process does not know where it is reached
}

var _ worker.Action = Callback{}

// addressMark is where the address belongs in the request.
const addressMark = "{callback}"

// Do implements worker.Action.
func (a Callback) Do(ctx context.Context, c worker.Call) (json.RawMessage, error) {
	var cfg struct {
		Call json.RawMessage `json:"call"`
		Wait struct {
			Scope int    `json:"scope"`
			Node  string `json:"node"`
			Visit int    `json:"visit"`
		} `json:"wait"`
	}
	run, idErr := uuid.Parse(c.Task.Run)
	if err := readConfig(c.Config, &cfg); err != nil || idErr != nil {
		return nil, worker.Fail(worker.ClassInvalidInput, "The request's configuration cannot be read.")
	}
	if a.Address == nil {
		return nil, worker.Fail(worker.ClassInternal, "This worker does not know how the server is reached from outside: name it by --public-url.")
	}
	address := a.Address(vault.Wait{Workspace: c.Task.Workspace, Run: run, Scope: cfg.Wait.Scope, Node: cfg.Wait.Node, Visit: cfg.Wait.Visit})
	c.Progress = func(string) {}                                                // whoever makes the request knows the address
	c.Config = bytes.ReplaceAll(cfg.Call, []byte(addressMark), []byte(address)) // letters that JSON takes as they are
	out, err := a.HTTP.Do(ctx, c)
	var f *worker.Failure
	if errors.As(err, &f) {
		quiet := *f
		quiet.Message = string(hide([]byte(f.Message), address))
		quiet.Details = hide(f.Details, address)
		return nil, &quiet
	}
	return hide(out, address), err
}

// hide takes the address, and its secret alone, out of what an answer says.
func hide(text []byte, address string) []byte {
	secret := address[bytes.LastIndexByte([]byte(address), '/')+1:]
	return bytes.ReplaceAll(text, []byte(secret), []byte("…"))
}
