// Package nats runs a NATS server with JetStream inside this process, reached
// by in-process connections. With NATS_URL it is not used.
//
// It has no listener, unless workers of one's own are to come over NATS: then
// it listens for them, and each finds itself in an account of its workspace in
// which there is nothing but the questions that workers may ask.
package nats

import (
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Limits of the server.
const (
	readyMax   = 20 * time.Second
	stopMax    = 10 * time.Second
	memoryMax  = 256 << 20 // JetStream in memory
	storeMax   = 20 << 30  // JetStream on disk
	pendingMax = 256 << 20 // bytes on their way to one connection
	connMax    = 5_000     // connections of workers
)

// Config is what a Server is made of.
type Config struct {
	Dir    string // of JetStream's files
	Listen string // host:port for workers of one's own; empty: nothing listens
	// Certificate and Key are paths of PEM files for TLS; empty: none.
	Certificate, Key string
	// Admit says in which workspace the holder of an API token works; not at
	// all: false. Required with Listen.
	Admit func(token string) (workspace string, ok bool)
}

// Server is a running server.
type Server struct {
	s      *server.Server
	secret string // of this process's own connections; empty: none is asked for
}

// Start opens the store below the directory and waits until the server is
// ready.
func Start(cfg Config) (*Server, error) {
	opts := &server.Options{
		ServerName: "signalbox", DontListen: true, NoSigs: true, NoLog: true,
		JetStream: true, StoreDir: cfg.Dir, JetStreamMaxMemory: memoryMax, JetStreamMaxStore: storeMax, MaxPending: pendingMax,
	}
	n := &Server{}
	var d *door
	if cfg.Listen != "" {
		if cfg.Admit == nil {
			return nil, errors.New("workers cannot be let in without somebody who knows their tokens")
		}
		n.secret = rand.Text()
		d = &door{secret: n.secret, admit: cfg.Admit}
		opts.CustomClientAuthentication = d
		if err := listen(opts, &cfg); err != nil {
			return nil, err
		}
	}
	s, err := server.NewServer(opts)
	if err != nil {
		return nil, fmt.Errorf("set up the NATS server: %w", err)
	}
	n.s = s
	if d != nil {
		if err := d.open(s); err != nil {
			return nil, err
		}
	}
	s.Start()
	if !s.ReadyForConnections(readyMax) {
		s.Shutdown()
		if cfg.Listen != "" {
			return nil, fmt.Errorf("the NATS server was not ready in time; is %s free?", cfg.Listen)
		}
		return nil, errors.New("the NATS server was not ready in time")
	}
	return n, nil
}

// listen fills in where workers come from.
func listen(opts *server.Options, cfg *Config) error {
	host, port, err := net.SplitHostPort(cfg.Listen)
	if err == nil {
		opts.Port, err = strconv.Atoi(port)
	}
	if err != nil {
		return fmt.Errorf("%q is not host:port: %w", cfg.Listen, err)
	}
	if opts.Port == 0 {
		opts.Port = server.RANDOM_PORT
	}
	opts.DontListen, opts.Host, opts.MaxConn = false, host, connMax
	if cfg.Certificate == "" {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(cfg.Certificate, cfg.Key)
	if err != nil {
		return fmt.Errorf("read the certificate for workers: %w", err)
	}
	opts.TLSConfig = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	opts.TLS, opts.TLSTimeout = true, 5
	return nil
}

// Raw is the server itself, for in-process connections.
func (s *Server) Raw() *server.Server { return s.s }

// Secret is the token that in-process connections have to show; empty: none.
func (s *Server) Secret() string { return s.secret }

// Address is where workers come to; empty: nothing listens.
func (s *Server) Address() string {
	if a := s.s.Addr(); a != nil {
		return a.String()
	}
	return ""
}

// Stop ends the server and waits until its files are closed; false: it did not
// end in time, and is left as it is. Files that a crash has spoiled can lead
// NATS to wait for a lock of its own for ever.
func (s *Server) Stop() bool {
	over := make(chan struct{})
	go func() {
		s.s.Shutdown()
		s.s.WaitForShutdown()
		close(over)
	}()
	select {
	case <-over:
		return true
	case <-time.After(stopMax):
		return false
	}
}
