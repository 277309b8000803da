package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/exchange"
	"signalbox/engine/graph"
	"signalbox/engine/problem"
)

// Export prints a workflow or a statechart in another tool's form. What does
// not come along is told beside it. Exit code 2: it could not be exported.
func Export(args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("export", flag.ContinueOnError)
	fs.SetOutput(errOut)
	form := fs.String("as", string(exchange.Mermaid), strings.Join(exchange.Forms(), ", "))
	key := fs.String("chart", "", "key of the statechart in the workflow; empty: the only one, or for a picture the whole workflow")
	path, rest := leading(args)
	if fs.Parse(rest) != nil || path == "" || fs.NArg() > 0 {
		fmt.Fprintln(errOut, "signalbox export FILE [--as FORM] [--chart KEY]")
		return exitUsage
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the person chooses the path
	if err != nil {
		complain(errOut, fmt.Errorf("read the file: %w", err))
		return exitUsage
	}
	text, losses, err := exported(raw, exchange.Form(*form), *key)
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	tellLosses(errOut, losses)
	fmt.Fprint(out, text)
	return exitOK
}

// exported tells a workflow from a chart by its first field.
func exported(raw []byte, form exchange.Form, key string) (string, []exchange.Loss, error) {
	var kind struct {
		Format *int `json:"signalbox"`
	}
	if json.Unmarshal(raw, &kind) == nil && kind.Format != nil {
		g, err := graph.Decode(raw)
		if err != nil {
			return "", nil, fmt.Errorf("read the workflow: %w", err)
		}
		return exchange.Workflow(g, form, key)
	}
	d, err := chart.Decode(raw)
	if err != nil {
		return "", nil, problem.New(problem.Invalid, "This is neither a workflow nor a statechart of ours. The configuration of an XState machine is for signalbox import.")
	}
	if _, faults := chart.Compile(d); len(faults) > 0 {
		return "", nil, problem.New(problem.Invalid, "This statechart has faults: %s", faults[0].Message)
	}
	return exchange.Chart(d, form)
}

// Import reads another tool's file and prints it as ours: a statechart, or a
// workflow. What became of each part of the file is told beside it.
func Import(args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("import", flag.ContinueOnError)
	fs.SetOutput(errOut)
	from := fs.String("from", "", strings.Join(exchange.ImportForms(), ", ")+"; empty: known by its content")
	as := fs.String("as", "", "chart (what a machine is unless said otherwise), or workflow")
	join := fs.String("join", "", "what every Merge node of n8n meant: "+strings.Join(exchange.JoinAnswers(), ", ")+", or a number of branches")
	path, rest := leading(args)
	if fs.Parse(rest) != nil || path == "" || fs.NArg() > 0 || *from != "" && !slices.Contains(exchange.ImportForms(), *from) || !slices.Contains([]string{"", "chart", "workflow"}, *as) {
		fmt.Fprintln(errOut, "signalbox import FILE [--from FORM] [--as chart|workflow] [--join JOIN]")
		return exitUsage
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the person chooses the path
	if err != nil {
		complain(errOut, fmt.Errorf("read the file: %w", err))
		return exitUsage
	}
	im, err := imported(raw, *from, *join)
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	isMachine := im.Form == "xstate" || im.Form == "scxml"
	var text []byte
	switch {
	case isMachine && *as != "workflow":
		text, err = machineText(raw, im.Form, errOut)
	case !isMachine && *as == "chart":
		complain(errOut, problem.New(problem.Invalid, "This file holds no statechart. Leave --as away."))
		return exitUsage
	default:
		tellParts(errOut, im)
		text, err = im.Graph.Encode()
	}
	if err != nil {
		complain(errOut, err)
		return exitFailed
	}
	fmt.Fprintln(out, strings.TrimSuffix(string(text), "\n"))
	return exitOK
}

// imported reads a file; one answer holds for all that it leaves open.
func imported(raw []byte, from, join string) (exchange.Imported, error) {
	im, err := exchange.Import(raw, nil)
	if err != nil {
		return im, err
	}
	if from != "" && from != im.Form {
		return im, problem.New(problem.Invalid, "This file is %s, not %s.", im.Form, from)
	}
	if join == "" || len(im.Questions) == 0 {
		return im, nil
	}
	answers := map[string]string{}
	for _, q := range im.Questions {
		answers[q.Name] = join
	}
	return exchange.Import(raw, answers)
}

// machineText writes a machine as a statechart of ours.
func machineText(raw []byte, form string, errOut io.Writer) ([]byte, error) {
	read := exchange.FromXState
	if form == "scxml" {
		read = exchange.FromSCXML
	}
	d, losses, err := read(raw)
	if err != nil {
		return nil, err
	}
	tellLosses(errOut, losses)
	_, faults := chart.Compile(d)
	for _, f := range faults { // names that have no meaning yet: to be filled in by hand
		fmt.Fprintf(errOut, "to do    %-20s %s\n", f.Node, f.Message)
	}
	return json.MarshalIndent(d, "", "  ")
}

func tellParts(out io.Writer, im exchange.Imported) {
	for _, p := range im.Parts {
		for _, reason := range p.Reasons {
			fmt.Fprintf(out, "%-12s %-24s %s\n", p.How, p.Name, reason)
		}
	}
	for _, d := range im.Dangling {
		fmt.Fprintf(out, "%-12s %s\n", "dangling", d)
	}
	for _, c := range im.Credentials {
		fmt.Fprintf(out, "%-12s %s\n", "credential", c)
	}
}

// leading takes the file's name from in front of the flags.
func leading(args []string) (path string, rest []string) {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return "", args
	}
	return args[0], args[1:]
}

func tellLosses(out io.Writer, losses []exchange.Loss) {
	for _, l := range losses {
		fmt.Fprintf(out, "lost     %-20s %s: %s\n", l.Path, l.What, l.Message)
	}
}
