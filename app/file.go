package app

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"signalbox/engine/compile"
	"signalbox/engine/graph"
	"signalbox/engine/machine"
	"signalbox/engine/mem"
	"signalbox/engine/problem"
	"signalbox/engine/runtime"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/watch"
	"signalbox/engine/worker"
	"signalbox/engine/worker/local"
)

// Exit codes of check and run.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// compileFile reads and compiles a workflow file and prints what was found.
func compileFile(path string, out io.Writer) (*machine.Machine, graph.Graph, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, graph.Graph{}, fmt.Errorf("read the workflow: %w", err)
	}
	g, err := graph.Decode(raw)
	if err != nil {
		return nil, g, fmt.Errorf("%s: %w", path, err)
	}
	m, issues := compile.Compile(g)
	for _, i := range issues {
		fmt.Fprintf(out, "%-8s %-20s %s%s\n", i.Severity, i.Code, placeOf(&g, i), i.Message)
		for _, c := range i.Example {
			fmt.Fprintf(out, "           when “%s” leaves by %s\n", g.Title(c.Node), c.Port)
		}
		if i.Fix != nil {
			fmt.Fprintf(out, "           fix: %s\n", i.Fix.Title)
		}
	}
	return m, g, nil
}

// placeOf names the step and the field that a finding is about, as far as its
// words do not.
func placeOf(g *graph.Graph, i graph.Issue) string {
	if i.Node == "" || (i.Field == "" && strings.Contains(i.Message, "“"+g.Title(i.Node)+"”")) {
		return ""
	}
	return g.Title(i.Node) + strings.TrimPrefix(i.Field, "/config") + ": "
}

// Check prints the findings about a workflow file. Exit code 1: it could not
// be published; 2: it could not be read.
func Check(args []string, out, errOut io.Writer) int {
	if len(args) != 1 {
		fmt.Fprintln(errOut, "signalbox check FILE")
		return exitUsage
	}
	m, _, err := compileFile(args[0], out)
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	if m == nil {
		return exitFailed
	}
	fmt.Fprintf(out, "Sound: %d nodes, %d edges.\n", len(m.Nodes), len(m.Edges))
	return exitOK
}

func complain(out io.Writer, err error) {
	fmt.Fprintln(out, "signalbox:", err)
	if p := problem.Of(err); p != nil {
		for _, f := range p.Fields {
			fmt.Fprintf(out, "  %s: %s; expected: %s\n", f.Location, f.Message, f.Expected)
		}
	}
}

// RunFile runs a workflow file with the same engine, in memory, and prints the
// trace as it happens, then the result. Exit code 1: the run failed; 2: bad
// input.
func RunFile(ctx context.Context, args []string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("run", flag.ContinueOnError)
	fs.SetOutput(errOut)
	input := fs.String("input", "", "file with the input as JSON; empty: the sample of the workflow, else null")
	trigger := fs.String("trigger", "", "key of the trigger; empty: the first")
	forward := fs.Bool("fast-forward", false, "as a test run with a virtual clock, which skips every wait")
	if len(args) == 0 || fs.Parse(args[1:]) != nil || fs.NArg() > 0 {
		fmt.Fprintln(errOut, "signalbox run FILE [--input FILE] [--trigger KEY] [--fast-forward]")
		return exitUsage
	}
	m, g, err := compileFile(args[0], errOut)
	if err != nil || m == nil {
		if err == nil {
			err = errors.New("the workflow has errors and cannot run")
		}
		complain(errOut, err)
		return exitUsage
	}
	value := g.Layout.Sample
	if *input != "" {
		if value, err = os.ReadFile(*input); err != nil {
			complain(errOut, fmt.Errorf("read the input: %w", err))
			return exitUsage
		}
	}
	if len(value) == 0 {
		value = json.RawMessage("null")
	}
	if p := graph.CheckJSON(value, 512); p != nil {
		complain(errOut, p)
		return exitUsage
	}
	var rig *machine.Rig
	if *forward {
		rig = &machine.Rig{Virtual: true, Skip: true}
	}
	answer, err := runOnce(ctx, m, *trigger, value, rig, out)
	if err != nil {
		complain(errOut, err)
		return exitFailed
	}
	fmt.Fprintf(out, "\n%s\n%s\n", answer.Run, answer.Body)
	if answer.Error != nil {
		fmt.Fprintf(out, "%s: %s\n", answer.Error.Class, answer.Error.Message)
	}
	if answer.Run != runtime.StatusSucceeded {
		return exitFailed
	}
	return exitOK
}

// runOnce runs a machine in memory until the run is over; with a rig it is a
// test run.
func runOnce(ctx context.Context, m *machine.Machine, trigger string, input json.RawMessage, rig *machine.Rig, out io.Writer) (*runtime.Answer, error) {
	raw, err := m.Encode()
	if err != nil {
		return nil, err
	}
	for _, n := range m.Nodes {
		if trigger == "" && n.Op == machine.OpTrigger {
			trigger = n.Key
		}
	}
	store, version := mem.NewStore(time.Now), uuid.New()
	store.PutMachine(version, raw)
	began := time.Now()
	var line sync.Mutex // engine and workers tell what happens, each in its time
	ch := local.New(func(f watch.Frame) {
		line.Lock()
		defer line.Unlock()
		printFrame(out, began, f)
	})
	origin, hangUp, err := demoFor(ctx, raw)
	if err != nil {
		return nil, err
	}
	defer hangUp()
	acts, err := actions(origin, false, nil)
	if err != nil {
		return nil, err
	}
	pool, err := worker.New(worker.Config{Source: ch, Actions: acts, Payloads: store, Name: "w1"})
	if err != nil {
		return nil, err
	}
	engine, err := runtime.New(runtime.Config{Store: store, Ledger: store, Channel: ch, Owner: "here"})
	if err != nil {
		return nil, err
	}
	inner, stop := context.WithCancel(ctx)
	g, inner := errgroup.WithContext(inner)
	g.Go(func() error { return engine.Run(inner) })
	g.Go(func() error { return pool.Run(inner) })
	s, err := engine.Start(inner, runtime.StartRequest{Workspace: mainWorkspace, Version: version, Trigger: trigger, Input: input, Source: "manual", Test: rig != nil, Rig: rig, Wait: runtime.WaitEnd})
	stop()
	if e := g.Wait(); err == nil {
		err = e
	}
	if err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return s.Answer, nil
}

// printFrame writes one line for each event as it happens.
func printFrame(out io.Writer, began time.Time, f watch.Frame) {
	var list []brief.Brief
	if json.Unmarshal(f.Briefs, &list) != nil {
		return
	}
	for _, b := range list {
		line := fmt.Sprintf("%8.3f  %-14s %-18s", b.At/1_000-float64(began.UnixMicro())/1e6, b.Type, b.Node)
		switch {
		case b.Error != nil:
			line += " " + b.Error.Class + ": " + b.Error.Message
		case b.Text != "":
			line += " " + b.Text
		case b.Queue != "":
			line += " queue " + b.Queue
		case b.Type == "ClockMoved":
			line += " " + (time.Duration(b.Ahead) * time.Millisecond).Round(time.Second).String() + " ahead"
		case len(b.Ports) > 0:
			line += fmt.Sprintf(" %v", b.Ports)
		}
		fmt.Fprintln(out, line)
	}
}
