package app

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"time"

	"signalbox/engine/gallery"
	"signalbox/server"
)

// demoFor serves the demo endpoint on a free port of this machine, for a
// workflow that calls it and runs without a server. origin is where it listens;
// empty: the workflow does not call it.
func demoFor(ctx context.Context, workflow []byte) (origin string, stop func(), err error) {
	if !bytes.Contains(workflow, []byte(gallery.Here)) {
		return "", func() {}, nil
	}
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("serve the demo endpoint: %w", err)
	}
	srv := &http.Server{Handler: server.Demo(), ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = srv.Serve(l) // ends by Close, below
	}()
	return "http://" + l.Addr().String(), func() {
		_ = srv.Close() // the run is over: nobody calls it any more
		<-done
	}, nil
}
