package vault_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
	"signalbox/engine/vault"
)

// rows keeps credentials for a test.
type rows struct {
	mu   sync.Mutex
	list map[string]vault.Row
}

func newRows() *rows { return &rows{list: map[string]vault.Row{}} }

func (r *rows) PutCredential(_ context.Context, row vault.Row) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list[row.Workspace+"/"+row.Name] = row
	return nil
}

func (r *rows) CredentialByName(_ context.Context, workspace, name string) (vault.Row, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	row, ok := r.list[workspace+"/"+name]
	if !ok {
		return row, vault.ErrNotFound
	}
	return row, nil
}

func (r *rows) ListCredentials(_ context.Context, workspace string) ([]vault.Credential, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []vault.Credential
	for _, row := range r.list {
		if row.Workspace == workspace {
			list = append(list, row.Credential)
		}
	}
	return list, nil
}

func (r *rows) DeleteCredential(_ context.Context, workspace string, id uuid.UUID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for k, row := range r.list {
		if row.Workspace == workspace && row.ID == id {
			delete(r.list, k)
			return nil
		}
	}
	return vault.ErrNotFound
}

const canary = `canary-7f3A/+="<&é`

func open(t *testing.T) (*vault.Vault, *rows) {
	t.Helper()
	key, err := vault.NewKey(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	store := newRows()
	return vault.New(store, key, func() time.Time { return time.Unix(1_800_000_000, 0) }), store
}

func bearer(token string) vault.Secret { return vault.Secret{Type: vault.TypeBearer, Token: token} }

func TestRevealGivesBackWhatWasPut(t *testing.T) {
	t.Parallel()
	v, store := open(t)
	if _, err := v.Put(t.Context(), "w1", "model", bearer(canary)); err != nil {
		t.Fatal(err)
	}
	for name, row := range store.list {
		if bytes.Contains(row.Sealed.Data, []byte("canary")) || bytes.Contains(row.Sealed.Wrapped, []byte("canary")) {
			t.Errorf("%s is stored in the open", name)
		}
	}
	raw, err := v.Reveal(t.Context(), "w1", "model")
	if err != nil {
		t.Fatal(err)
	}
	secret, err := vault.Parse(raw)
	if err != nil || secret.Token != canary {
		t.Errorf("got %q, %v", secret.Token, err)
	}
	if text := fmt.Sprintf("%v %+v %#v", secret, secret, secret); strings.Contains(text, "canary") {
		t.Error("a printed secret shows its value")
	}
}

func TestAnotherWorkspaceHasNoSuchCredential(t *testing.T) {
	t.Parallel()
	v, _ := open(t)
	if _, err := v.Put(t.Context(), "w1", "model", bearer(canary)); err != nil {
		t.Fatal(err)
	}
	if _, err := v.Reveal(t.Context(), "w2", "model"); problem.Of(err) == nil || problem.Of(err).Code != problem.NotFound {
		t.Errorf("got %v", err)
	}
}

// A row that somebody with access to the database moves elsewhere must not
// open there.
func TestSealedRowOpensOnlyAtItsPlace(t *testing.T) {
	t.Parallel()
	for name, move := range map[string]func(*vault.Row){
		"another workspace":  func(r *vault.Row) { r.Workspace = "w2" },
		"another credential": func(r *vault.Row) { r.ID = uuid.New() },
		"an older version":   func(r *vault.Row) { r.Version++ },
		"a changed byte":     func(r *vault.Row) { r.Sealed.Data[len(r.Sealed.Data)-1] ^= 1 },
		"a changed data key": func(r *vault.Row) { r.Sealed.Wrapped[len(r.Sealed.Wrapped)-1] ^= 1 },
		"another master key": func(r *vault.Row) { r.Sealed.KeyID = "0000" },
		"nothing":            func(r *vault.Row) { r.Sealed.Data = nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v, store := open(t)
			if _, err := v.Put(t.Context(), "w1", "model", bearer(canary)); err != nil {
				t.Fatal(err)
			}
			row := store.list["w1/model"]
			move(&row)
			store.list = map[string]vault.Row{row.Workspace + "/model": row}
			_, err := v.Reveal(t.Context(), row.Workspace, "model")
			if !errors.Is(err, vault.ErrSealed) {
				t.Errorf("got %v, want ErrSealed", err)
			}
		})
	}
}

func TestNewValueIsANewVersion(t *testing.T) {
	t.Parallel()
	v, _ := open(t)
	first, err := v.Put(t.Context(), "w1", "model", bearer("first-value"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := v.Put(t.Context(), "w1", "model", bearer("second-value"))
	if err != nil {
		t.Fatal(err)
	}
	if second.ID != first.ID || second.Version != first.Version+1 {
		t.Errorf("got %+v after %+v", second, first)
	}
	secret, err := v.Secret(t.Context(), "w1", "model")
	if err != nil || secret.Token != "second-value" {
		t.Errorf("got %q, %v", secret.Token, err)
	}
}

func TestIncompleteCredentialsAreRefused(t *testing.T) {
	t.Parallel()
	v, _ := open(t)
	for field, secret := range map[string]vault.Secret{
		"/token":    bearer(""),
		"/username": {Type: vault.TypeBasic, Username: "a:b", Password: "x"},
		"/password": {Type: vault.TypeBasic, Username: "a"},
		"/header":   {Type: vault.TypeHeader, Header: "X Api", Value: "x"},
		"/value":    {Type: vault.TypeHeader, Header: "X-Api", Value: "x\r\nHost: y"},
		"/secrets":  {Type: vault.TypeWebhook, Secrets: []string{"short"}},
		"/type":     {Type: "other"},
	} {
		_, err := v.Put(t.Context(), "w1", "c", secret)
		p := problem.Of(err)
		if p == nil || len(p.Fields) != 1 || p.Fields[0].Location != field {
			t.Errorf("%s: got %v", field, err)
		}
	}
	if _, err := v.Put(t.Context(), "w1", "Bad Name", bearer("x")); problem.Of(err) == nil {
		t.Error("a bad name was taken")
	}
}

// The canary must not survive in any form that an encoder gives it, at any
// place in a longer text.
func TestRedactorRemovesEveryForm(t *testing.T) {
	t.Parallel()
	v, _ := open(t)
	if _, err := v.Put(t.Context(), "w1", "c", vault.Secret{Type: vault.TypeBasic, Username: "ada", Password: canary}); err != nil {
		t.Fatal(err)
	}
	js, err := json.Marshal(map[string]string{"key": canary})
	if err != nil {
		t.Fatal(err)
	}
	forms := map[string]string{
		"plain":          canary,
		"hex":            hex.EncodeToString([]byte(canary)),
		"HEX":            strings.ToUpper(hex.EncodeToString([]byte(canary))),
		"query":          url.QueryEscape(canary),
		"path":           url.PathEscape(canary),
		"json":           string(js),
		"basic":          base64.StdEncoding.EncodeToString([]byte("ada:" + canary)),
		"base64 at 0":    base64.StdEncoding.EncodeToString([]byte(canary)),
		"base64 at 1":    base64.StdEncoding.EncodeToString([]byte("x" + canary + "tail")),
		"base64 at 2":    base64.StdEncoding.EncodeToString([]byte("xy" + canary + "tail")),
		"base64url at 1": base64.URLEncoding.EncodeToString([]byte("x" + canary)),
		"twice":          canary + canary,
	}
	for name, form := range forms {
		got := string(v.Redactor().Bytes([]byte("before " + form + " after")))
		if !strings.Contains(got, "[redacted]") || strings.Contains(got, "canary") || strings.Contains(got, "7f3A") {
			t.Errorf("%s: %q", name, got)
		}
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") {
			t.Errorf("%s took its neighbors with it: %q", name, got)
		}
		// What stays of a base64 form must not decode to the secret.
		if raw, err := base64.StdEncoding.DecodeString(strings.TrimSuffix(strings.TrimPrefix(got, "before "), " after")); err == nil && bytes.Contains(raw, []byte("canary")) {
			t.Errorf("%s: the rest still decodes", name)
		}
	}
	clean := []byte("nothing to see")
	if got := v.Redactor().Bytes(clean); !bytes.Equal(got, clean) {
		t.Errorf("a clean text changed: %q", got)
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("abcdef", "abcdefg", "xxabcdefgabcdefyy")
	f.Add("aaaaaa", "aaaaaaaa", strings.Repeat("a", 30))
	f.Add("bcdefg", "abcdefgh", "abcdefghbcdefg")
	f.Fuzz(func(t *testing.T, a, b, text string) {
		r := vault.NewRedactor()
		r.Add(a, b)
		got := r.Text(text)
		for _, s := range []string{a, b} {
			// A secret may be part of the mask itself.
			if len(s) >= 6 && strings.Contains(strings.ReplaceAll(got, "[redacted]", "\x00"), s) {
				t.Errorf("%q survived in %q", s, got)
			}
		}
	})
}

func TestKeyFileIsMadeOnceAndForItsOwnerOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "key")
	first, err := vault.OpenKeyFile(path)
	if err != nil {
		t.Fatal(err)
	}
	store := newRows()
	now := func() time.Time { return time.Unix(1_800_000_000, 0) }
	if _, err := vault.New(store, first, now).Put(t.Context(), "w1", "c", bearer(canary)); err != nil {
		t.Fatal(err)
	}
	again, err := vault.OpenKeyFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := vault.New(store, again, now).Reveal(t.Context(), "w1", "c"); err != nil {
		t.Errorf("the second start cannot open what the first one sealed: %v", err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if err := os.Chmod(path, 0o440); err != nil { // as a mounted secret
		t.Fatal(err)
	}
	if _, err := vault.OpenKeyFile(path); err != nil {
		t.Errorf("a key that its group may read: %v", err)
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := vault.OpenKeyFile(path); err == nil {
		t.Error("a key that others can read was accepted")
	}
}
