package app

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/chart/draw"
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

// Import reads another tool's form and prints it as ours: a statechart, or a
// workflow with the chart drawn in it.
func Import(args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("import", flag.ContinueOnError)
	fs.SetOutput(errOut)
	from := fs.String("from", string(exchange.XState), "xstate: the configuration of a machine as JSON")
	as := fs.String("as", "chart", "chart, or workflow: the chart as nodes and edges")
	path, rest := leading(args)
	if fs.Parse(rest) != nil || path == "" || fs.NArg() > 0 || *from != string(exchange.XState) || *as != "chart" && *as != "workflow" {
		fmt.Fprintln(errOut, "signalbox import FILE [--from xstate] [--as chart|workflow]")
		return exitUsage
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the person chooses the path
	if err != nil {
		complain(errOut, fmt.Errorf("read the file: %w", err))
		return exitUsage
	}
	d, losses, err := exchange.FromXState(raw)
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	tellLosses(errOut, losses)
	_, faults := chart.Compile(d)
	for _, f := range faults { // names that have no meaning yet: to be filled in by hand
		fmt.Fprintf(errOut, "to do    %-20s %s\n", f.Node, f.Message)
	}
	text, err := json.MarshalIndent(d, "", "  ")
	if *as == "workflow" {
		nodes, edges := draw.ToGraph(d)
		g := graph.Graph{Name: d.ID, Nodes: nodes, Edges: edges, Layout: graph.Layout{Nodes: draw.Place(nodes, 0, 0)}}
		text, err = g.Encode()
	}
	if err != nil {
		complain(errOut, err)
		return exitFailed
	}
	fmt.Fprintln(out, strings.TrimSuffix(string(text), "\n"))
	return exitOK
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
