// Command example is a worker in Go: it counts the words of a text, slowly
// enough to be watched.
//
//	SIGNALBOX_URL=http://127.0.0.1:8080 SIGNALBOX_TOKEN=sb_… go run ./client/worker/example
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
	w, err := worker.New(worker.Config{
		URL: os.Getenv("SIGNALBOX_URL"), Token: os.Getenv("SIGNALBOX_TOKEN"), Name: os.Getenv("WORKER_NAME"),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
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
