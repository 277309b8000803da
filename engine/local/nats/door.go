package nats

import (
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
)

// Service is what workers of one's own may ask: the only subjects that lead
// from their accounts to the engine's.
const Service = "worker.v1.*"

// door lets connections in. This process's own show a secret and get the
// engine's account. Everybody else shows an API token and gets an account of
// its workspace: one without JetStream, in which only the service and the
// answers to one's own questions exist.
//
// A reply subject that a worker names is one of its account. So it cannot make
// the engine publish anywhere, as it could with the right to ask JetStream for
// messages.
type door struct {
	secret string
	admit  func(token string) (workspace string, ok bool)

	server *server.Server
	mu     sync.Mutex // accounts are made one at a time
}

// open exports the service.
func (d *door) open(s *server.Server) error {
	d.server = s
	if err := s.GlobalAccount().AddServiceExport(Service, nil); err != nil {
		return fmt.Errorf("offer workers their service: %w", err)
	}
	return nil
}

// Check implements server.Authentication.
func (d *door) Check(c server.ClientAuthentication) bool {
	opts := c.GetOpts()
	token := opts.Token
	if token == "" {
		token = opts.Password
	}
	if c.Kind() != server.CLIENT || token == "" {
		return false
	}
	if c.RemoteAddress().Network() == "pipe" && subtle.ConstantTimeCompare([]byte(token), []byte(d.secret)) == 1 {
		c.RegisterUser(&server.User{Username: "engine", Account: d.server.GlobalAccount()})
		return true
	}
	workspace, ok := d.admit(token)
	if !ok {
		return false
	}
	account, err := d.account(workspace)
	if err != nil {
		return false
	}
	c.RegisterUser(&server.User{Username: "worker", Account: account, Permissions: &server.Permissions{
		Publish:   &server.SubjectPermission{Allow: []string{Service}},
		Subscribe: &server.SubjectPermission{Allow: []string{Inbox(token) + ".>"}},
	}})
	return true
}

// account finds or makes the account of a workspace's workers.
func (d *door) account(workspace string) (*server.Account, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	account, fresh := d.server.LookupOrRegisterAccount("WORKERS-" + hash(workspace))
	if !fresh {
		return account, nil
	}
	if err := account.AddServiceImport(d.server.GlobalAccount(), Service, Service); err != nil {
		return nil, fmt.Errorf("let workers ask: %w", err)
	}
	return account, nil
}

// Inbox is the only place where the holder of a token hears answers: nobody
// else can guess it or listen there.
func Inbox(token string) string { return "_INBOX_" + hash("inbox:"+token) }

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:16])
}
