// Package view draws the pages: templ components and the plain data that they
// show.
//
// It knows no service and no request: the server fills the data in. Every
// text is escaped by its context, there is no inline script and no style
// attribute, and every word comes from the string catalogue.
package view

import (
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Assets knows the hashed names of built files.
type Assets interface {
	// URL is the address of a built file, for example "editor.js".
	URL(name string) string
	// Preload lists the addresses that a script imports at once.
	Preload(name string) []string
}

// Words is the string catalogue.
type Words interface {
	T(lang, key string, args ...any) string
	Part(lang string, parts ...string) map[string]string
	Sentences(lang string) map[string]string
}

// The themes that a person can choose.
const (
	ThemeLight  = "light"
	ThemeDark   = "dark"
	ThemeSystem = "system"
)

// Page is what every page needs to know.
type Page struct {
	Title  string // without the product's name
	Lang   string
	Here   string // path and query of the page, to come back to
	Theme  string // light, dark or system
	Place  string // which entry of the navigation: workflows, runs, settings; empty is none
	User   *User  // nil: nobody is logged in
	Inbox  Inbox  // what there is for them
	Assets Assets
	Words  Words
	Now    time.Time

	Languages  []string // to choose from
	LessMotion bool     // the person asked for less motion
}

// User is the person who looks at the page.
type User struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Email string `json:"email,omitempty"`
	Role  string `json:"role"`

	Workspaces []Workspace `json:"-"` // that they belong to
}

// T is the sentence of a key in the page's language.
func (p Page) T(key string, args ...any) string { return p.Words.T(p.Lang, key, args...) }

// FullTitle is the text of the browser's tab.
func (p Page) FullTitle() string {
	if p.Title == "" {
		return "Signalbox"
	}
	return p.Title + " · Signalbox"
}

// Icon is the address of an icon inside the sprite.
func (p Page) Icon(name string) string { return p.Assets.URL("icons.svg") + "#" + name }

// Ago says how long ago a moment was.
func (p Page) Ago(at time.Time) string {
	d := p.Now.Sub(at)
	switch {
	case d < 10*time.Second:
		return p.T("time.now")
	case d < time.Minute:
		return p.T("time.seconds", "n", int(d/time.Second))
	case d < time.Hour:
		return p.T("time.minutes", "n", int(d/time.Minute))
	case d < 24*time.Hour:
		return p.T("time.hours", "n", int(d/time.Hour))
	case d < 30*24*time.Hour:
		return p.T("time.days", "n", int(d/(24*time.Hour)))
	default:
		return p.Day(at)
	}
}

// Initials are at most two letters of a name.
func Initials(name string) string {
	var out []rune
	for word := range strings.FieldsSeq(name) {
		for _, r := range word {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				out = append(out, r)
				break
			}
		}
		if len(out) == 2 {
			break
		}
	}
	if len(out) == 0 {
		return "?"
	}
	return string(out)
}

// tint is the class of a person's color: the same name, the same color.
func tint(name string) string {
	sum := 0
	for _, r := range name {
		sum = (sum*31 + int(r)) % 6_000_000
	}
	return "a" + strconv.Itoa(sum%6)
}

// with is the address with one parameter of its query changed; an empty value
// takes it away. Paging starts again.
func with(path string, query url.Values, key, value string) string {
	q := url.Values{}
	for k, v := range query {
		if k != "after" {
			q[k] = v
		}
	}
	if value == "" {
		q.Del(key)
	} else {
		q.Set(key, value)
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// current is the value of aria-current for a link.
func current(is bool) string {
	if is {
		return "page"
	}
	return "false"
}
