package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/google/uuid"

	"signalbox/engine/problem"
)

// Limits of asking a server about cases.
const (
	reportMax    = 32 << 20 // bytes of its answer
	reportWithin = time.Minute
)

// caseReport is what of a server's answer is printed.
type caseReport struct {
	OK      bool `json:"ok"`
	Guarded bool `json:"guarded"`
	Same    int  `json:"same"`
	Differs int  `json:"differs"`
	Stopped int  `json:"stopped"`
	Cases   []struct {
		Case struct {
			Name string `json:"name"`
		} `json:"case"`
		Verdict  string `json:"verdict"`
		Accepted bool   `json:"accepted"`
		Stopped  *struct {
			Node string `json:"node"`
			Why  string `json:"why"`
		} `json:"stopped"`
		Differences []struct {
			What   string `json:"what"`
			Counts bool   `json:"counts"`
			Node   string `json:"node"`
			Was    string `json:"was"`
			Now    string `json:"now"`
		} `json:"differences"`
		More    int    `json:"more"`
		Compare string `json:"compare"`
	} `json:"cases"`
}

// Test plays the draft of a workflow, or a drawing in a file, on the cases that
// a server keeps of it. Exit code 1: a case does not do the same; 2: it could
// not be found out.
func Test(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("test", flag.ContinueOnError)
	fs.SetOutput(errOut)
	workflow := fs.String("workflow", "", "id of the workflow")
	file := fs.String("file", "", "workflow file to test instead of the draft")
	server := fs.String("server", or(getenv("SIGNALBOX_URL"), "http://127.0.0.1:8080"), "address of the server; also SIGNALBOX_URL")
	asJSON := fs.Bool("json", false, "the report as JSON")
	if fs.Parse(args) != nil || fs.NArg() > 0 || *workflow == "" {
		fmt.Fprintln(errOut, "signalbox test --workflow ID [--file FILE] [--server URL] [--json]   (the API token stands in SIGNALBOX_TOKEN)")
		return exitUsage
	}
	raw, report, err := askCases(ctx, *server, getenv("SIGNALBOX_TOKEN"), *workflow, *file)
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	if *asJSON {
		var text bytes.Buffer
		if json.Indent(&text, raw, "", "  ") == nil {
			raw = text.Bytes()
		}
		fmt.Fprintf(out, "%s\n", bytes.TrimSpace(raw))
	} else {
		printCases(out, report, strings.TrimRight(*server, "/"))
	}
	if !report.OK {
		return exitFailed
	}
	return exitOK
}

func or(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// askCases has a server play the cases.
func askCases(ctx context.Context, server, token, workflow, file string) (json.RawMessage, caseReport, error) {
	var report caseReport
	id, err := uuid.Parse(workflow)
	if err != nil {
		return nil, report, fmt.Errorf("--workflow %q is not the id of a workflow", workflow)
	}
	base, err := url.Parse(server)
	if err != nil || base.Host == "" {
		return nil, report, fmt.Errorf("--server %q is not an address like https://signalbox.example.org", server)
	}
	if token == "" {
		return nil, report, errors.New("SIGNALBOX_TOKEN is empty: make an API token in the settings of the server")
	}
	body := map[string]json.RawMessage{}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err != nil {
			return nil, report, fmt.Errorf("read the workflow: %w", err)
		}
		if !json.Valid(raw) {
			return nil, report, fmt.Errorf("%s is no JSON", file)
		}
		body["graph"] = raw
	}
	text, err := json.Marshal(body)
	if err != nil {
		return nil, report, fmt.Errorf("write the question: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, reportWithin)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, base.JoinPath("api/workflows", id.String(), "rehearsal").String(), bytes.NewReader(text))
	if err != nil {
		return nil, report, fmt.Errorf("ask the server: %w", err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, report, fmt.Errorf("ask the server: %w", err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, reportMax))
	if err != nil {
		return nil, report, fmt.Errorf("read the answer: %w", err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, report, refusal(res.StatusCode, raw)
	}
	if err := json.Unmarshal(raw, &report); err != nil {
		return nil, report, fmt.Errorf("the answer of %s is not that of a Signalbox server: %w", base.Host, err)
	}
	return raw, report, nil
}

// refusal is what a server says no with.
func refusal(status int, raw []byte) error {
	var answer struct {
		Detail string          `json:"detail"`
		Errors []problem.Field `json:"errors"`
		Issues []struct {
			Message string `json:"message"`
		} `json:"issues"`
	}
	if json.Unmarshal(raw, &answer) != nil || answer.Detail == "" {
		return fmt.Errorf("the server answered %d", status)
	}
	p := problem.New(problem.Invalid, "%s", answer.Detail)
	p.Fields = answer.Errors
	for _, i := range answer.Issues {
		p.Detail += "\n  " + i.Message
	}
	return p
}

func printCases(out io.Writer, r caseReport, server string) {
	if len(r.Cases) == 0 {
		fmt.Fprintln(out, "This workflow has no cases. Keep a run as one on its page.")
		return
	}
	for _, c := range r.Cases {
		verdict := c.Verdict
		if c.Accepted {
			verdict += ", accepted"
		}
		fmt.Fprintf(out, "%-18s %s\n", verdict, c.Case.Name)
		if c.Stopped != nil {
			fmt.Fprintf(out, "%18s stopped at %s: %s\n", "", or(c.Stopped.Node, "the run"), reasonOf(c.Stopped.Why))
		}
		for _, d := range c.Differences {
			if d.Counts {
				fmt.Fprintf(out, "%18s %s: %s -> %s\n", "", strings.TrimSpace(d.What+" "+d.Node), or(d.Was, "-"), or(d.Now, "-"))
			}
		}
		if c.More > 0 {
			fmt.Fprintf(out, "%18s and %d more\n", "", c.More)
		}
		if c.Verdict != "same" {
			fmt.Fprintf(out, "%18s %s%s\n", "", server, c.Compare)
		}
	}
	fmt.Fprintf(out, "\n%d do the same, %d differ, %d stopped.\n", r.Same, r.Differs, r.Stopped)
}

func reasonOf(why string) string {
	switch why {
	case "not_recorded":
		return "not recorded, needs a real call"
	case "waits":
		return "it waits for an answer that was not recorded"
	case "no_trigger":
		return "its trigger is gone"
	case "too_long":
		return "it takes too long"
	default:
		return "nothing moves it any more"
	}
}
