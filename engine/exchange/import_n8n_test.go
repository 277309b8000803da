package exchange_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"signalbox/engine/compile"
	"signalbox/engine/exchange"
)

// told writes an import so that a person can read it: the workflow, and what
// became of each part.
func told(im exchange.Imported) string {
	var b strings.Builder
	for _, n := range im.Graph.Nodes {
		fmt.Fprintf(&b, "%s %s %s", n.Key, n.Kind, n.Config)
		if n.In != "" {
			fmt.Fprintf(&b, " in %s", im.Graph.Node(n.In).Key)
		}
		if n.Join != nil {
			fmt.Fprintf(&b, " join %s%d", n.Join.Mode, n.Join.N)
		}
		if n.Retry != nil && n.Retry.MaxAttempts > 1 {
			fmt.Fprintf(&b, " tries %d after %s", n.Retry.MaxAttempts, n.Retry.Initial)
		}
		if n.Disabled {
			b.WriteString(" disabled")
		}
		b.WriteString("\n")
	}
	for _, e := range im.Graph.Edges {
		fmt.Fprintf(&b, "%s -%s-> %s\n", im.Graph.Node(e.From).Key, e.Port, im.Graph.Node(e.To).Key)
	}
	if s := im.Graph.Layout.Sample; len(s) > 0 {
		fmt.Fprintf(&b, "sample %s\n", s)
	}
	b.WriteString("\n")
	for _, p := range im.Parts {
		fmt.Fprintf(&b, "%-12s %s\n", p.How, p.Name)
		for _, r := range p.Reasons {
			fmt.Fprintf(&b, "             - %s\n", r)
		}
	}
	for _, d := range im.Dangling {
		fmt.Fprintf(&b, "dangling     %s\n", d)
	}
	for _, q := range im.Questions {
		fmt.Fprintf(&b, "question     %s: %s of %d\n", q.Name, q.Answer, q.Branch)
	}
	fmt.Fprintf(&b, "credentials  %s\n", strings.Join(im.Credentials, ", "))
	return b.String()
}

func n8nFile(t testing.TB, name string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "n8n", name))
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestWorkflowsOfN8nAreRead(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/n8n/*.json")
	if err != nil || len(files) < 6 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			im, err := exchange.Import(n8nFile(t, filepath.Base(file)), nil)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".json") + ".txt"
			got := told(im)
			_, issues := compile.Compile(im.Graph)
			for _, i := range issues {
				got += fmt.Sprintf("finding      %s %s: %s\n", i.Severity, i.Code, i.Message)
			}
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
