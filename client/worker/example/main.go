// Command example is a worker in Go: it counts the words of a text, slowly
// enough to be watched.
//
//	SIGNALBOX_URL=http://127.0.0.1:8080 SIGNALBOX_TOKEN=sb_… go run ./client/worker/example
//
// At the edge, SIGNALBOX_LOCATION says where it is, SIGNALBOX_SPOOL names a
// directory for results while the line is down, and SIGNALBOX_LEASE how long the
// line may be down before another worker gets its tasks.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"signalbox/client/worker"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cfg := worker.Config{
		URL: os.Getenv("SIGNALBOX_URL"), Token: os.Getenv("SIGNALBOX_TOKEN"), Name: os.Getenv("WORKER_NAME"),
		Location: os.Getenv("SIGNALBOX_LOCATION"), Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	}
	if text := os.Getenv("SIGNALBOX_LEASE"); text != "" {
		lease, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("SIGNALBOX_LEASE is %q; expected a time such as 5m", text)
		}
		cfg.Lease = lease
	}
	if dir := os.Getenv("SIGNALBOX_SPOOL"); dir != "" {
		spool, err := worker.OpenSpool(dir)
		if err != nil {
			return err
		}
		defer func() { _ = spool.Close() }()
		cfg.Spool = spool
	}
	w, err := worker.New(cfg)
	if err != nil {
		return err
	}
	w.Handle(worker.Type{
		Name: "count_words", Title: "Count words", Icon: "list", Description: "Counts the words of a text.",
		Input:  json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string","title":"Text"},"pause_ms":{"type":"integer","title":"Pause after each word","minimum":0,"default":0}}}`),
		Output: json.RawMessage(`{"type":"object","required":["words"],"properties":{"words":{"type":"integer"}}}`),
	}, count)
	return w.Run(ctx)
}

func count(ctx context.Context, t *worker.Task) (any, error) {
	var in struct {
		Text  string
		Pause int `json:"pause_ms"`
	}
	if err := t.Bind(&in); err != nil {
		return nil, worker.Fail("invalid_input", "The input is not {text}: "+err.Error())
	}
	words := strings.Fields(in.Text)
	for _, word := range words {
		t.Progress(word + " ")
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(time.Duration(in.Pause) * time.Millisecond):
		}
	}
	return map[string]any{"words": len(words), "worker": os.Getenv("WORKER_NAME")}, nil
}
