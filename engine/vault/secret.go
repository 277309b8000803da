package vault

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"signalbox/engine/problem"
)

// Type says what a credential is for and which fields it has.
type Type string

// The closed list of types.
const (
	TypeBearer  Type = "bearer"  // token: Authorization: Bearer …; also the key of a model
	TypeBasic   Type = "basic"   // username, password
	TypeHeader  Type = "header"  // header, value
	TypeWebhook Type = "webhook" // secrets: one, or several while they change
)

// Secret is a credential in the open. It must never reach a log, an event or
// an answer.
type Secret struct {
	Type     Type     `json:"type"`
	Token    string   `json:"token,omitempty"`
	Username string   `json:"username,omitempty"`
	Password string   `json:"password,omitempty"`
	Header   string   `json:"header,omitempty"`
	Value    string   `json:"value,omitempty"`
	Secrets  []string `json:"secrets,omitempty"`
}

// String keeps a secret out of %v and of logs.
func (s Secret) String() string { return "secret of type " + string(s.Type) }

// GoString keeps it out of %#v.
func (s Secret) GoString() string { return s.String() }

// Parse reads what Reveal returns.
func Parse(raw []byte) (Secret, error) {
	var s Secret
	if err := json.Unmarshal(raw, &s); err != nil {
		return Secret{}, fmt.Errorf("the stored credential is not readable") // the cause could quote the value
	}
	return s, nil
}

// HeaderField is the header that an HTTP request carries for this credential;
// ok is false for types that are not sent in one.
func (s Secret) HeaderField() (name, value string, ok bool) {
	switch s.Type {
	case TypeBearer:
		return "Authorization", "Bearer " + s.Token, true
	case TypeBasic:
		return "Authorization", "Basic " + s.basic(), true
	case TypeHeader:
		return s.Header, s.Value, true
	case TypeWebhook:
		return "", "", false
	default:
		return "", "", false
	}
}

func (s Secret) basic() string {
	return base64.StdEncoding.EncodeToString([]byte(s.Username + ":" + s.Password))
}

var headerRule = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$")

// check names the field that is missing or of no use.
func (s Secret) check() *problem.Problem {
	bad := func(field, expected string) *problem.Problem {
		return problem.New(problem.Invalid, "The credential is not complete.").At("/"+field, "missing or not usable", expected)
	}
	header := func(v string) bool {
		return v != "" && !strings.ContainsFunc(v, func(r rune) bool { return r < ' ' || r == 0x7f })
	}
	switch s.Type {
	case TypeBearer:
		if !header(s.Token) {
			return bad("token", "the token as the other side gave it")
		}
	case TypeBasic:
		if !header(s.Username) || strings.Contains(s.Username, ":") {
			return bad("username", "a name without a colon")
		}
		if !header(s.Password) {
			return bad("password", "a password")
		}
	case TypeHeader:
		if !headerRule.MatchString(s.Header) {
			return bad("header", "the name of a header, for example X-Api-Key")
		}
		if !header(s.Value) {
			return bad("value", "the value of the header")
		}
	case TypeWebhook:
		if len(s.Secrets) == 0 || len(s.Secrets) > 5 || slices.ContainsFunc(s.Secrets, func(v string) bool { return len(v) < 16 }) {
			return bad("secrets", "one to five secrets of at least 16 characters")
		}
	default:
		return bad("type", "bearer, basic, header or webhook")
	}
	return nil
}

// encode checks the secret and makes its stored form.
func (s Secret) encode() ([]byte, error) {
	if p := s.check(); p != nil {
		return nil, p
	}
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode a credential of type %s", s.Type) // the cause could quote the value
	}
	if len(raw) > ValueMax {
		return nil, problem.New(problem.TooLarge, "A credential may have %d bytes.", ValueMax)
	}
	return raw, nil
}

// values are the texts that must not leave the process.
func (s Secret) values() []string {
	list := []string{s.Token, s.Password, s.Value}
	if s.Type == TypeBasic {
		list = append(list, s.basic())
	}
	for _, v := range s.Secrets {
		list = append(list, v, strings.TrimPrefix(v, "whsec_"))
	}
	return slices.DeleteFunc(list, func(v string) bool { return v == "" })
}
