package server

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"signalbox/engine/draft"
	"signalbox/engine/expr"
	"signalbox/engine/problem"
	"signalbox/engine/vault"
)

// hookSkew is how far the clock of a sender may be off.
const hookSkew = 5 * time.Minute

// Ways to check the caller of a webhook.
const (
	hookNone   = "none"
	hookHMAC   = "hmac"
	hookBearer = "bearer"
)

// admitHook checks the caller. Every refusal is the same.
func (s *Server) admitHook(r *http.Request, h draft.Hook, c hookConfig, raw []byte) error {
	refused := problem.New(problem.Unauthorized, "The caller could not be verified.")
	switch c.Auth {
	case hookNone:
		// Without a check only this machine may call, and no page of another
		// site through a browser that runs here.
		if !s.fromLoopback(r) {
			return problem.New(problem.Forbidden, "A webhook without a check of its caller answers this machine only. Set its authentication to a signature or a token.")
		}
		if !s.fromOurPages(r) {
			return problem.New(problem.Forbidden, "This request comes from a page of another site.")
		}
		return nil
	case hookHMAC, "":
		secret, err := s.hookSecret(r.Context(), h.Workspace, c.Credential)
		if err != nil {
			return err
		}
		if secret.Type != vault.TypeWebhook || !signedBy(secret.Secrets, r.Header, raw, s.config.Now()) {
			return refused
		}
		return nil
	case hookBearer:
		secret, err := s.hookSecret(r.Context(), h.Workspace, c.Credential)
		if err != nil {
			return err
		}
		token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if !ok || secret.Type != vault.TypeBearer || !sameSecret(token, secret.Token) {
			return refused
		}
		return nil
	default:
		return refused
	}
}

func (s *Server) hookSecret(ctx context.Context, workspace, name string) (vault.Secret, error) {
	secret, err := s.config.Vault.Secret(ctx, workspace, name)
	if problem.Of(err) != nil {
		s.config.Log.WarnContext(ctx, "a webhook names a credential that is not there", "credential", name)
		return secret, problem.New(problem.Unauthorized, "The caller could not be verified.")
	}
	return secret, err
}

// sameSecret compares in constant time, also the length.
func sameSecret(got, want string) bool {
	a, b := sha256.Sum256([]byte(got)), sha256.Sum256([]byte(want))
	return want != "" && subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// signedBy checks a Standard Webhooks signature: HMAC-SHA256 over
// id.timestamp.body with any of the secrets, not older than five minutes.
func signedBy(secrets []string, header http.Header, raw []byte, now time.Time) bool {
	id, stamp := header.Get("Webhook-Id"), header.Get("Webhook-Timestamp")
	if id == "" || len(id) > hookKeyMax {
		return false
	}
	seconds, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false
	}
	if off := now.Sub(time.Unix(seconds, 0)); off > hookSkew || off < -hookSkew {
		return false
	}
	ok := false
	for _, secret := range secrets {
		mac := hmac.New(sha256.New, signingKey(secret))
		mac.Write([]byte(id + "." + stamp + "."))
		mac.Write(raw)
		want := mac.Sum(nil)
		for given := range strings.FieldsSeq(header.Get("Webhook-Signature")) {
			text, versioned := strings.CutPrefix(given, "v1,")
			got, err := base64.StdEncoding.DecodeString(text)
			// No early end: which secret fitted must not show in the time.
			ok = versioned && err == nil && hmac.Equal(got, want) || ok
		}
	}
	return ok
}

// signingKey is the key of a secret: base64 behind whsec_, else its bytes.
func signingKey(secret string) []byte {
	if text, ok := strings.CutPrefix(secret, "whsec_"); ok {
		if key, err := base64.StdEncoding.DecodeString(text); err == nil {
			return key
		}
	}
	return []byte(secret)
}

// hookKey is what makes a call that comes twice start one run: the node's own
// expression, else the id of the message, else the header for that purpose.
func hookKey(r *http.Request, c hookConfig, input json.RawMessage) (string, error) {
	key := r.Header.Get("Idempotency-Key")
	if id := r.Header.Get("Webhook-Id"); id != "" {
		key = id
	}
	if c.Dedupe != "" {
		own, err := evalDedupe(strings.TrimPrefix(c.Dedupe, "="), input)
		if err != nil {
			return "", err
		}
		key = own
	}
	if len(key) > hookKeyMax || strings.ContainsRune(key, 0) || cleanText(key) != key {
		return "", problem.New(problem.Invalid, "The idempotency key is too long or not text: %d characters are allowed.", hookKeyMax)
	}
	return key, nil
}

func evalDedupe(source string, input json.RawMessage) (string, error) {
	bad := func(why string) error {
		return problem.New(problem.Invalid, "The webhook's dedupe expression gives no key for this body: %s", why)
	}
	program, fault := expr.Parse(source)
	if fault != nil {
		return "", bad(fault.Message)
	}
	var value any
	if err := json.Unmarshal(input, &value); err != nil {
		return "", bad("the body is no JSON.")
	}
	got, err := program.Eval(values{"input": value, "trigger": value})
	if err != nil {
		return "", bad(err.Error())
	}
	switch v := got.(type) {
	case nil:
		return "", nil // no key: every call is its own
	case string:
		return v, nil
	default:
		return string(encodeFrame(v)), nil
	}
}

// values are the variables of an expression.
type values map[string]any

// Lookup implements expr.Values.
func (v values) Lookup(name string) (any, bool) {
	got, ok := v[name]
	return got, ok
}
