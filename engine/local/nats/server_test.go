package nats_test

import (
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	local "signalbox/engine/local/nats"
)

func connect(t *testing.T, s *local.Server) jetstream.JetStream {
	t.Helper()
	c, err := nats.Connect("", nats.InProcessServer(s.Raw()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	js, err := jetstream.New(c)
	if err != nil {
		t.Fatal(err)
	}
	return js
}

func start(t *testing.T, dir string) *local.Server {
	t.Helper()
	s, err := local.Start(local.Config{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Stop() })
	return s
}

func TestMessagesOutliveTheServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir)
	js := connect(t, s)
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "KEPT", Subjects: []string{"kept.>"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := js.Publish(t.Context(), "kept.one", []byte("first")); err != nil {
		t.Fatal(err)
	}
	if !s.Stop() {
		t.Error("it does not stop")
	}
	kept, err := connect(t, start(t, dir)).Stream(t.Context(), "KEPT")
	if err != nil {
		t.Fatal(err)
	}
	m, err := kept.GetLastMsgForSubject(t.Context(), "kept.one")
	if err != nil {
		t.Fatal(err)
	}
	if string(m.Data) != "first" {
		t.Errorf("kept message is %q", m.Data)
	}
}

func TestNothingListens(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	if a := s.Raw().Addr(); a != nil {
		t.Errorf("the server listens on %v", a)
	}
}
