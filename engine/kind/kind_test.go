package kind_test

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/expr"
	"signalbox/engine/kind"
)

func TestEveryKindIsWhole(t *testing.T) {
	t.Parallel()
	var order []string
	tiles := []string{"trigger", "http", "logic", "ai", "queue", "saga", "human", "data"}
	for _, s := range kind.All() {
		if !slices.Contains(order, s.Category) {
			order = append(order, s.Category)
		} else if order[len(order)-1] != s.Category {
			t.Errorf("%s: the category %s comes twice", s.Name, s.Category)
		}
		if s.Title == "" || s.Icon == "" || !strings.HasSuffix(s.Help, ".") || !slices.Contains(tiles, s.Tile) {
			t.Errorf("%s: title, icon, tile or help is missing: %+v", s.Name, s)
		}
		if s.NoInput != (s.Work == kind.WorkTrigger) {
			t.Errorf("%s: triggers and only triggers have no input", s.Name)
		}
		if s.Effect && s.Attempts != 3 {
			t.Errorf("%s changes something outside and is tried %d times, want 3", s.Name, s.Attempts)
		}
		if d, err := time.ParseDuration(s.Timeout); s.Work == kind.WorkTask && (err != nil || d <= 0) {
			t.Errorf("%s: a task needs a timeout, got %q", s.Name, s.Timeout)
		}
		if found, ok := kind.Find(s.Name); !ok || cmp.Diff(s, found) != "" {
			t.Errorf("%s is not found by its name", s.Name)
		}
		if s.Ports == nil || s.Config.Type != "object" {
			t.Errorf("%s: ports or schema are missing", s.Name)
		}
		for _, field := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(s.Subtitle, -1) {
			if !slices.ContainsFunc(s.Config.Properties, func(p kind.Property) bool { return p.Name == field[1] }) {
				t.Errorf("%s: the subtitle names %q, which is no field", s.Name, field[1])
			}
		}
		everyField(t, s.Name, &s.Config)
	}
	if diff := cmp.Diff(kind.Categories(), order); diff != "" {
		t.Errorf("categories (-want +got):\n%s", diff)
	}
	if s, ok := kind.Find("nothing"); ok {
		t.Errorf("found %+v", s)
	}
}

func everyField(t *testing.T, where string, s *kind.Schema) {
	t.Helper()
	for _, p := range s.Properties {
		at := where + "." + p.Name
		if p.Schema.Title == "" || !strings.HasSuffix(p.Schema.Description, ".") {
			t.Errorf("%s has no title or no description", at)
		}
		if _, err := regexp.Compile(p.Schema.Pattern); err != nil {
			t.Errorf("%s: %v", at, err)
		}
		if n := len(p.Schema.EnumTitles); n != 0 && n != len(p.Schema.Enum) {
			t.Errorf("%s has %d titles for %d words", at, n, len(p.Schema.Enum))
		}
		if p.Schema.Items != nil {
			everyField(t, at, p.Schema.Items)
		}
	}
	for _, name := range s.Required {
		if !slices.ContainsFunc(s.Properties, func(p kind.Property) bool { return p.Name == name }) {
			t.Errorf("%s requires %q, which is no field", where, name)
		}
	}
}

// TestExamplesAreRight: an example passes the checks, also with its defaults
// filled in, and its expressions parse.
func TestExamplesAreRight(t *testing.T) {
	t.Parallel()
	for _, s := range kind.All() {
		filled := s.Defaults(s.Example)
		for _, config := range []json.RawMessage{s.Example, filled} {
			if faults := s.Check(config); len(faults) > 0 {
				t.Errorf("%s: %s: %+v", s.Name, config, faults)
			}
			if _, faults := expr.ParseTree(config, s.ExprMode); len(faults) > 0 {
				t.Errorf("%s: %s: %+v", s.Name, config, faults)
			}
		}
		if again := s.Defaults(filled); string(again) != string(filled) {
			t.Errorf("%s: defaults of defaults differ: %s, then %s", s.Name, filled, again)
		}
		if len(s.Output) > 0 && !json.Valid(s.Output) || len(s.Output) == 0 && len(s.Ports) > 0 {
			t.Errorf("%s: the sample output %q is not JSON", s.Name, s.Output)
		}
	}
}

// TestDefaultsAreRight: a new node has no fault but what only its author can
// know.
func TestDefaultsAreRight(t *testing.T) {
	t.Parallel()
	for _, s := range kind.All() {
		for _, f := range s.Check(s.Defaults(nil)) {
			if !strings.HasSuffix(f.Message, "is missing.") {
				t.Errorf("%s: %+v", s.Name, f)
			}
		}
	}
	set, ok := kind.Find("set")
	if !ok {
		t.Fatal("no set")
	}
	for config, want := range map[string]string{
		`{"keep":false}`: `{"fields":{},"keep":false}`,
		`null`:           `{"fields":{},"keep":true}`,
		``:               `{"fields":{},"keep":true}`,
		`[1]`:            `[1]`,
	} {
		if got := set.Defaults(json.RawMessage(config)); string(got) != want {
			t.Errorf("%s: got %s, want %s", config, got, want)
		}
	}
}

// TestIconsAreInTheSprite: the sprite is made from web/style/icons.txt, and
// every name there is one of lucide.
func TestIconsAreInTheSprite(t *testing.T) {
	t.Parallel()
	list, err := os.ReadFile("../../web/style/icons.txt")
	if err != nil {
		t.Fatal(err)
	}
	names := strings.Fields(string(list))
	for _, s := range kind.All() {
		if !slices.Contains(names, s.Icon) {
			t.Errorf("the icon %q of %s is not in web/style/icons.txt", s.Icon, s.Name)
		}
	}
}

func TestPorts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, config, want string }{
		{"manual", `{}`, "success"},
		{"if", `{}`, "true false failure"},
		{"http", ``, "success failure"},
		{"end", `{}`, ""},
		{"fail", `{}`, ""},
		{"join", `{}`, "success"},
		{"set", `{}`, "success failure"},
		{"route", `{}`, "default failure"},
		{"route", `{"rules":[{"port":"b"},{"port":"a"},{"port":""},{},7]}`, "b a default failure"},
		{"route", `{"rules":[{"port":"a"},{"port":"a"},{"port":"default"}]}`, "a default failure"},
		{"route", `{"rules":"=input.rules"}`, "default failure"},
		{"route", `not JSON`, "default failure"},
	} {
		s, ok := kind.Find(c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		var got []string
		for _, p := range s.PortsFor(json.RawMessage(c.config)) {
			got = append(got, p.Name)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s %s: ports %v, want %s", c.kind, c.config, got, c.want)
		}
	}
}

func TestExprModes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, pointer string
		want          expr.Mode
	}{
		{"if", "/condition", expr.ModeExpr},
		{"route", "/rules/12/when", expr.ModeExpr},
		{"route", "/rules/0/port", expr.ModeConstant},
		{"route", "/match", expr.ModeConstant},
		{"transform", "/expression", expr.ModeExpr},
		{"webhook", "/dedupe", expr.ModeExpr},
		{"webhook", "/path", expr.ModeConstant},
		{"webhook", "/methods/0", expr.ModeConstant},
		{"http", "/url", expr.ModeValue},
		{"http", "/credential", expr.ModeConstant},
		{"http", "/headers/X-Id", expr.ModeValue},
		{"http", "/headers/method", expr.ModeValue},
		{"http", "/body/deep/0/er", expr.ModeValue},
		{"llm", "/messages/0/content", expr.ModeValue},
		{"llm", "/messages/0/role", expr.ModeConstant},
		{"set", "/fields/a~1b", expr.ModeValue},
		{"set", "/fields/keep", expr.ModeValue},
		{"set", "", expr.ModeValue},
		{"set", "/unknown/x", expr.ModeValue},
	} {
		s, ok := kind.Find(c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		if got := s.ExprMode(c.pointer); got != c.want {
			t.Errorf("%s %s: mode %d, want %d", c.kind, c.pointer, got, c.want)
		}
	}
}

func TestPropertiesKeepTheirOrder(t *testing.T) {
	t.Parallel()
	for _, s := range kind.All() {
		raw, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var back kind.Spec
		if err := json.Unmarshal(raw, &back); err != nil {
			t.Fatal(err)
		}
		again, err := json.Marshal(back)
		if diff := cmp.Diff(string(raw), string(again)); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", s.Name, err, diff)
		}
	}
	var p kind.Properties
	for _, bad := range []string{`[]`, `"x"`, `{"a":1}`, `{"a":{}`} {
		if err := json.Unmarshal([]byte(bad), &p); err == nil {
			t.Errorf("%s was read as %+v", bad, p)
		}
	}
}
