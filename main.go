// Signalbox: draw event-driven workflows, prove them sound, run them, watch
// them live.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"signalbox/app"
)

const usage = `Signalbox draws, proves, runs and watches event-driven workflows.

  signalbox [serve] [flags]            the whole program in one process
  signalbox worker [flags]             workers only, beside a server with DATABASE_URL and NATS_URL
  signalbox worker --server URL --location NAME [--spool DIR]
                                       a worker at the edge: it needs a token and outgoing connections only
  signalbox migrate [flags]            bring the database's schema up to date
  signalbox setup-link [flags]         a fresh link to become the owner, while there is none
  signalbox audit [--json] [flags]     check every run of a database that is in use; 1: something does not hold
  signalbox check FILE                 what stands in a workflow's way
  signalbox run FILE [--input FILE]    run a workflow here and now, without a server
  signalbox export FILE [--as FORM]    a workflow or statechart as xstate, scxml, mermaid or dot
  signalbox import FILE [--as FORM]    a workflow of n8n, an XState machine (JSON) or SCXML as ours
  signalbox test --workflow ID [--file FILE] [--json]
                                       play a draft on the cases that a server keeps; 1: one does not do the same
  signalbox bench [--json]             measure this machine
  signalbox version

signalbox serve -h lists the flags.
`

func main() { os.Exit(run(os.Args[1:])) }

// Exit codes.
const (
	exitOK     = 0
	exitFailed = 1 // it did not work, or the run failed
	exitUsage  = 2 // the input was not understood
)

func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if os.Getenv("GOGC") == "" {
		go app.TuneGarbage(ctx)
	}
	name := "serve"
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		name, args = args[0], args[1:]
	}
	switch name {
	case "audit":
		return app.Audit(ctx, args, os.Getenv, os.Stdout, os.Stderr)
	case "serve", "worker", "migrate", "setup-link":
		return withConfig(ctx, name, args)
	case "bench":
		return app.Bench(ctx, args, os.Stdout, os.Stderr)
	case "check":
		return app.Check(args, os.Stdout, os.Stderr)
	case "run":
		return app.RunFile(ctx, args, os.Stdout, os.Stderr)
	case "test":
		return app.Test(ctx, args, os.Getenv, os.Stdout, os.Stderr)
	case "export":
		return app.Export(args, os.Stdout, os.Stderr)
	case "import":
		return app.Import(args, os.Stdout, os.Stderr)
	case "version":
		fmt.Println("signalbox", version())
		return exitOK
	case "help":
		fmt.Print(usage)
		return exitOK
	}
	fmt.Fprintf(os.Stderr, "signalbox: there is no command %q\n\n%s", name, usage)
	return exitUsage
}

func withConfig(ctx context.Context, name string, args []string) int {
	cfg, err := app.Parse(args, os.Getenv, os.Stderr)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "signalbox:", err)
		return exitUsage
	}
	log, err := cfg.Logger(os.Stderr)
	if err != nil {
		fmt.Fprintln(os.Stderr, "signalbox:", err)
		return exitUsage
	}
	if err := app.Command(ctx, name, cfg, log, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "signalbox:", err)
		return exitFailed
	}
	return exitOK
}

// version tells from what this program was built.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	words := []string{info.Main.Version, info.GoVersion}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision" || s.Key == "vcs.time":
			words = append(words, s.Value)
		case s.Key == "vcs.modified" && s.Value == "true":
			words = append(words, "modified")
		}
	}
	return strings.Join(words, " ")
}
