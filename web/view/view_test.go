package view_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"
	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"

	words "signalbox/web/strings"
	"signalbox/web/view"
)

type assets struct{}

func (assets) URL(name string) string  { return "/static/dist/" + name }
func (assets) Preload(string) []string { return []string{"/static/dist/chunk.js"} }

// pages draws every page with one text in all places that come from people.
func pages(t *testing.T, text string) map[string]templ.Component {
	t.Helper()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := view.Page{
		Title: text, Lang: "en", Theme: view.ThemeDark, Place: "workflows", Assets: assets{}, Words: catalogue, Now: now,
		User: &view.User{ID: "u", Name: text, Role: "owner"},
	}
	query := url.Values{"q": {text}, "status": {text}, "after": {"x"}, "show": {text}}
	svg := `<svg class="pic" role="img" aria-label="Sample"></svg>`
	island := map[string]string{"name": text}
	run := view.Run{ID: "0199-abcdef", Workflow: view.Named{ID: "w", Name: text}, Version: 2, Status: "failed", Test: true, Source: text, Started: now.Add(-time.Hour), Lasted: time.Second, Why: text}
	return map[string]templ.Component{
		"login":        view.LoginPage(p, view.Login{Next: text, Why: "wrong"}),
		"setup":        view.SetupPage(p, view.Setup{Token: text, Wrong: "email"}),
		"setup, dead":  view.SetupPage(p, view.Setup{Dead: true}),
		"gallery":      view.GalleryPage(p, view.Gallery{Query: query, Tags: []view.Tag{{Name: text, Count: 2}}, Total: 2, MayEdit: true, Workflows: []view.Workflow{{ID: "w", Name: text, About: text, Version: 2, Edits: 3, UpdatedAt: now, Owner: text, OK: 3, Failed: 1, Hours: [24]view.Hour{{OK: 2}, {OK: 1, Failed: 1}}, Tags: []string{text}, Errors: 2, Picture: svg, Last: &view.LastRun{ID: "r", Status: "running", At: now}}, {ID: "v", Name: text, Owner: text, UpdatedAt: now, Picture: svg}}, Templates: []view.Template{{Name: text, Title: text, About: text, Picture: svg}}}),
		"gallery, new": view.GalleryPage(p, view.Gallery{MayEdit: true, Templates: []view.Template{{Name: text, Title: text, About: text, Picture: svg}}}),
		"runs":         view.RunsPage(p, view.Runs{Query: query, Rows: []view.Run{run}, Next: text, Narrowed: true}),
		"runs, none":   view.RunsPage(p, view.Runs{Workflow: &view.Named{ID: "w", Name: text}}),
		"versions":     view.VersionsPage(p, view.Versions{Workflow: view.Named{ID: "w", Name: text}, Live: 2, Edits: 1, Rows: []view.Version{{ID: "v", Number: 2, Hash: text, Note: text, By: text, At: now}}}),
		"settings": view.SettingsPage(p, view.Settings{
			Credentials: []view.Credential{{ID: "c", Name: text, Kind: "basic", At: now}}, Kinds: []string{"basic", "bearer"},
			Tokens: []view.Token{{ID: "t", Name: text, Role: "viewer", At: now, Used: now, Expires: now}}, Roles: []string{"viewer"},
			Shares: []view.Share{{ID: "s", Target: "run", Name: text, At: now, Expires: now, Views: 3}}, MaySecrets: true, MayShare: true,
		}),
		"share": view.ShareView(p, view.SharePage{
			Title: text, About: text, Picture: svg, Steps: 2, Address: "http://127.0.0.1/s/" + text, Island: island,
			Run:    &view.SharedRun{Status: "failed", Started: now, Lasted: time.Second, Error: text},
			Events: []view.SharedEvent{{Seq: 1, Step: text, Type: "NodeFailed", Tone: "fail", Note: text}},
		}),
		"error":  view.ErrorPage(p, view.Fault{Status: 503, Detail: text, Request: text}),
		"editor": view.EditorPage(p, view.Island{Props: island, Picture: svg, Name: text}),
		"run":    view.RunPage(p, view.Island{Props: island, Picture: svg, Name: text}),
		"keys":   view.KeysPage(p),
		"members": view.MembersPage(p, view.Members{
			Members:     []view.Member{{ID: "m", Name: text, Email: text, Role: "editor", Since: now}, {ID: "u", Name: text, Email: text, Role: "owner", Since: now, You: true, Fixed: true}},
			Invitations: []view.Invitation{{ID: "i", Role: "viewer", Note: text, By: text, Expires: now}}, Roles: []string{"owner", "viewer"}, MayChange: true,
		}),
		"join":       view.JoinPage(p, view.Join{Token: text, Wrong: "email", Role: "editor", By: text}),
		"join, dead": view.JoinPage(p, view.Join{Dead: true}),
		"audit": view.AuditPage(p, view.Audit{
			Query: query, Actions: []string{"login"}, Actors: []view.Named{{ID: "u", Name: text}}, Next: "7", Check: &view.Check{Entries: 2, Head: text},
			Rows: []view.Deed{{Seq: 8, At: now, Actor: text, Token: true, Action: "login", Detail: text, Target: text, Address: text}},
		}),
	}
}

func draw(t *testing.T, c templ.Component) (string, *html.Node) {
	t.Helper()
	var b bytes.Buffer
	if err := c.Render(t.Context(), &b); err != nil {
		t.Fatal(err)
	}
	doc, err := html.Parse(bytes.NewReader(b.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return b.String(), doc
}

func attr(n *html.Node, name string) (string, bool) {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// shape is the page without its texts: elements and the names of attributes.
func shape(doc *html.Node) []string {
	var out []string
	for n := range doc.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		names := make([]string, 0, len(n.Attr))
		for _, a := range n.Attr {
			names = append(names, a.Key)
		}
		out = append(out, n.Data+" "+strings.Join(names, " "))
	}
	return out
}

var hostile = []string{
	`<script>alert(1)</script>`, `</script><script>alert(1)</script>`, `"><img src=x onerror=alert(1)>`, `' onmouseover='alert(1)`,
	`<!--`, `]]>`, `javascript:alert(1)`, `{{constructor.constructor('alert(1)')()}}`, `${alert(1)}`, `</title><svg onload=alert(1)>`,
	`<style>*{display:none}</style>`, `&lt;script&gt;`, `\u003cscript\u003e`, "a\x01b\u2028c\u202ed", `<iframe srcdoc="<script>alert(1)</script>">`, `</textarea></dialog></main>`,
	`data:text/html,<script>alert(1)</script>`, `<base href=//evil.example>`,
}

// TestHostileTexts: whatever people write, the page keeps its shape.
func TestHostileTexts(t *testing.T) {
	t.Parallel()
	benign := map[string][]string{}
	for name, c := range pages(t, "Plain") {
		_, doc := draw(t, c)
		benign[name] = shape(doc)
	}
	for _, text := range hostile {
		for name, c := range pages(t, text) {
			raw, doc := draw(t, c)
			if diff := cmp.Diff(benign[name], shape(doc)); diff != "" {
				t.Errorf("%s: %q changes the page:\n%s", name, text, diff)
			}
			if strings.Contains(raw, `href="javascript:`) || strings.Contains(raw, `action="javascript:`) {
				t.Errorf("%s: a link runs a script", name)
			}
		}
	}
}

// TestPolicy: nothing that the content policy forbids.
func TestPolicy(t *testing.T) {
	t.Parallel()
	for name, c := range pages(t, "Plain") {
		_, doc := draw(t, c)
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			kind, _ := attr(n, "type")
			if _, external := attr(n, "src"); n.Data == "script" && !external && kind != "application/json" {
				t.Errorf("%s has an inline script", name)
			}
			if n.Data == "style" {
				t.Errorf("%s has an inline style sheet", name)
			}
			for _, a := range n.Attr {
				if a.Key == "style" || strings.HasPrefix(a.Key, "on") {
					t.Errorf("%s: <%s> has %s", name, n.Data, a.Key)
				}
				if (a.Key == "src" || a.Key == "href" || a.Key == "action") && strings.Contains(a.Val, "//") {
					t.Errorf("%s: <%s> loads %s", name, n.Data, a.Val)
				}
			}
		}
	}
}

// TestIsland: what goes into an island comes out as it was.
func TestIsland(t *testing.T) {
	t.Parallel()
	for _, text := range hostile {
		for _, name := range []string{"editor", "run", "share"} {
			_, doc := draw(t, pages(t, text)[name])
			found := false
			for n := range doc.Descendants() {
				if id, _ := attr(n, "id"); id != "props" {
					continue
				}
				found = true
				var got map[string]string
				if err := json.Unmarshal([]byte(n.FirstChild.Data), &got); err != nil || got["name"] != text {
					t.Errorf("%s: %q came out as %q (%v)", name, text, got["name"], err)
				}
			}
			if !found {
				t.Errorf("%s has no island", name)
			}
		}
	}
}

// TestStructure: what a screen reader needs on every page.
func TestStructure(t *testing.T) {
	t.Parallel()
	for name, c := range pages(t, "Plain") {
		_, doc := draw(t, c)
		ids, labels, level, mains := map[string]int{}, map[string]bool{}, 0, 0
		var fields []string
		for n := range doc.Descendants() {
			if n.Type != html.ElementNode {
				continue
			}
			if id, ok := attr(n, "id"); ok {
				ids[id]++
			}
			switch n.Data {
			case "main":
				mains++
			case "label":
				target, _ := attr(n, "for")
				labels[target] = true
			case "input", "select":
				if id, named := field(n); !named {
					fields = append(fields, id)
				}
			case "h1", "h2", "h3":
				now := int(n.Data[1] - '0')
				if inDialog(n) {
					continue
				}
				if now > level+1 {
					t.Errorf("%s: <%s> follows a heading of level %d", name, n.Data, level)
				}
				level = now
			case "html":
				if lang, _ := attr(n, "lang"); lang != "en" {
					t.Errorf("%s has the language %q", name, lang)
				}
			}
		}
		for _, id := range fields {
			if !labels[id] {
				t.Errorf("%s: the field %q has no label", name, id)
			}
		}
		for id, n := range ids {
			if n > 1 {
				t.Errorf("%s: %d elements have the id %q", name, n, id)
			}
		}
		if island := name == "editor" || name == "run"; mains != 1 && !island {
			t.Errorf("%s has %d <main>, want 1", name, mains)
		}
	}
}

// field returns the id of a field, and whether it needs no label element.
func field(n *html.Node) (id string, named bool) {
	id, _ = attr(n, "id")
	kind, _ := attr(n, "type")
	_, label := attr(n, "aria-label")
	_, by := attr(n, "aria-labelledby")
	wrapped := n.Parent != nil && n.Parent.Data == "label"
	return id, kind == "hidden" || label || by || wrapped
}

func inDialog(n *html.Node) bool {
	for p := range n.Ancestors() {
		if p.Data == "dialog" || p.Data == "noscript" {
			return true
		}
	}
	return false
}

func TestFragments(t *testing.T) {
	t.Parallel()
	for page, fragment := range map[string]string{"runs": "rows", "gallery": "cards", "settings": "settings"} {
		var b bytes.Buffer
		if err := templ.RenderFragments(t.Context(), &b, pages(t, "Plain")[page], fragment); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.Contains(got, "Plain") || strings.Contains(got, "<html") || !strings.HasPrefix(strings.TrimSpace(got), "<div id=") {
			t.Errorf("the fragment %s of %s is %q", fragment, page, got)
		}
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := view.Page{Lang: "en", Words: catalogue}
	for d, want := range map[time.Duration]string{
		0: "< 1 ms", 12 * time.Millisecond: "12 ms", 1670 * time.Millisecond: "1.67 s", 20400 * time.Millisecond: "20.4 s",
		125 * time.Second: "2 min 5 s", 3*time.Hour + 4*time.Minute: "3 h 4 min",
	} {
		if got := p.Took(d); got != want {
			t.Errorf("%s is %q, want %q", d, got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Maya Kern": "MK", "ada": "a", "  (Jo)  van  Dam ": "Jv", "李 明": "李明", "": "?", "!!!": "?"} {
		if got := view.Initials(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}

func TestChinese(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := view.Page{Lang: "zh-CN", Words: catalogue, Now: at.Add(time.Hour)}
	got := []string{p.Day(at), p.Exact(at), p.Ago(at), p.Took(125 * time.Second), p.Took(3*time.Hour + 4*time.Minute)}
	want := []string{"2026年5月4日", "2026年5月4日 12:00:00 UTC", "1 小时前", "2 分 5 秒", "3 小时 4 分"}
	if !slices.Equal(got, want) {
		t.Error(fmt.Sprint(got, " want ", want))
	}
}

func TestAgo(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	p := view.Page{Lang: "en", Words: catalogue, Now: now}
	got := []string{}
	for _, d := range []time.Duration{time.Second, 40 * time.Second, 3 * time.Minute, 5 * time.Hour, 30 * time.Hour, 72 * time.Hour, 90 * 24 * time.Hour} {
		got = append(got, p.Ago(now.Add(-d)))
	}
	want := []string{"just now", "40 s ago", "3 min ago", "5 h ago", "yesterday", "3 days ago", "2026-02-03"}
	if !slices.Equal(got, want) {
		t.Error(fmt.Sprint(got, " want ", want))
	}
}

func TestARunThatEndedInItsFirstTurnHasATime(t *testing.T) {
	t.Parallel()
	catalogue, err := words.Load()
	if err != nil {
		t.Fatal(err)
	}
	p := view.Page{Title: "Runs", Lang: "en", Theme: view.ThemeDark, Place: "runs", Assets: assets{}, Words: catalogue, User: &view.User{ID: "u", Role: "owner"}}
	for _, over := range []bool{true, false} {
		var out bytes.Buffer
		rows := view.Runs{Query: url.Values{}, Rows: []view.Run{{ID: "0199-abcdef", Status: "failed", Over: over}}}
		if err := view.RunsPage(p, rows).Render(t.Context(), &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), "&lt; 1 ms"); got != over {
			t.Errorf("over %v: a time is shown: %v", over, got)
		}
	}
}
