package app

import (
	"context"
	"log/slog"
	"net/http"
)

// OpsHandler is what answers at --ops-listen.
func OpsHandler(token string, metrics http.Handler, ready func(context.Context) error) http.Handler {
	return (&ops{log: slog.New(slog.DiscardHandler), token: token, ready: ready, metrics: metrics}).handler()
}
