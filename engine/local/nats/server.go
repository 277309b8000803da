// Package nats runs a NATS server with JetStream inside this process: no
// listener, reached by in-process connections only. With NATS_URL it is not
// used.
package nats

import (
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Limits of the server.
const (
	readyMax   = 20 * time.Second
	memoryMax  = 256 << 20 // JetStream in memory
	storeMax   = 20 << 30  // JetStream on disk
	pendingMax = 256 << 20 // bytes on their way to one connection
)

// Server is a running server.
type Server struct{ s *server.Server }

// Start opens the store below the directory and waits until it is ready.
func Start(dir string) (*Server, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: "signalbox", DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: dir, JetStreamMaxMemory: memoryMax, JetStreamMaxStore: storeMax, MaxPending: pendingMax,
	})
	if err != nil {
		return nil, fmt.Errorf("set up the NATS server: %w", err)
	}
	s.Start()
	if !s.ReadyForConnections(readyMax) {
		s.Shutdown()
		return nil, errors.New("the NATS server was not ready in time")
	}
	return &Server{s}, nil
}

// Raw is the server itself, for in-process connections.
func (s *Server) Raw() *server.Server { return s.s }

// Stop ends the server and waits until its files are closed.
func (s *Server) Stop() {
	s.s.Shutdown()
	s.s.WaitForShutdown()
}
