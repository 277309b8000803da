package app

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"time"

	"signalbox/engine/archive"
	"signalbox/engine/invariant"
	"signalbox/engine/machine"
	"signalbox/engine/pg"
)

// shownMax is how many violations are listed one by one.
const shownMax = 50

// Audit checks the runs of a database that is in use, and says what does not
// hold. It changes nothing.
func Audit(ctx context.Context, args []string, getenv func(string) string, out, errOut io.Writer) int {
	fs := flag.NewFlagSet("audit", flag.ContinueOnError)
	asJSON := fs.Bool("json", false, "the report as JSON")
	since := fs.Duration("since", 0, "only runs that were made within this time; 0: all")
	files := fs.Bool("files", false, "check the histories in the directory of --archive, and no database")
	cfg, err := parse(fs, args, getenv, errOut)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		complain(errOut, err)
		return exitUsage
	}
	if *files {
		return auditFiles(cfg.Archive, *asJSON, out, errOut)
	}
	report, err := audit(ctx, cfg, *since)
	if err != nil {
		complain(errOut, err)
		return exitFailed
	}
	if *asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		printReport(out, report)
	}
	if err != nil || !report.OK() {
		return exitFailed
	}
	return exitOK
}

// auditFiles checks the histories of deleted runs.
func auditFiles(dir string, asJSON bool, out, errOut io.Writer) int {
	if dir == "" {
		complain(errOut, errors.New("--files needs the directory: --archive DIR"))
		return exitUsage
	}
	report, err := archive.Dir(dir).Check()
	if err != nil {
		complain(errOut, err)
		return exitFailed
	}
	if asJSON {
		enc := json.NewEncoder(out)
		enc.SetIndent("", "  ")
		err = enc.Encode(report)
	} else {
		for _, fault := range report.Faults {
			fmt.Fprintln(out, fault)
		}
		fmt.Fprintf(out, "%d files, %d runs, %d events, %d large values: %d faults\n", report.Files, report.Runs, report.Events, report.Values, len(report.Faults))
	}
	if err != nil || len(report.Faults) > 0 {
		return exitFailed
	}
	return exitOK
}

func audit(ctx context.Context, cfg Config, since time.Duration) (*invariant.Report, error) {
	dsn := cfg.DatabaseURL
	if dsn == "" {
		var err error
		if dsn, err = runningDSN(cfg.Data); err != nil {
			return nil, err
		}
	}
	db, err := pg.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	from := time.Time{}
	if since > 0 {
		from = time.Now().Add(-since)
	}
	store := pg.NewStore(db)
	if _, err := os.Stat(cfg.keyPath()); err == nil { // none is made for this
		key, err := cfg.openKey()
		if err != nil {
			return nil, err
		}
		store.SealWith(key.Values(), false)
	}
	return invariant.Audit(ctx, store, from, time.Now())
}

func printReport(out io.Writer, r *invariant.Report) {
	for _, rule := range invariant.Rules() {
		verdict := "holds"
		if n := r.Count[invariant.Rule(rule.Rule)]; n > 0 {
			verdict = fmt.Sprintf("BROKEN %d times", n)
		}
		fmt.Fprintf(out, "%-9s %-62s %s\n", rule.Rule, rule.Says, verdict)
	}
	fmt.Fprintf(out, "\n%d runs, %d events:", r.Runs, r.Events)
	for _, status := range slices.Sorted(maps.Keys(r.Status)) {
		fmt.Fprintf(out, " %d %s", r.Status[status], status)
	}
	fmt.Fprintln(out)
	for _, n := range r.Newer {
		fmt.Fprintf(out, "A newer Signalbox wrote %s with format %d and semantics %d: %d over, %d that go on. This program %s; of these only the log was checked.\n",
			counted(n.Open+n.Over), n.Format, n.Semantics, n.Over, n.Open, machine.Released())
	}
	for i, v := range r.Violations {
		if i == shownMax {
			fmt.Fprintf(out, "… and more; --json lists up to 1,000\n")
			break
		}
		fmt.Fprintf(out, "%s  %-9s %s\n", v.Run, v.Rule, v.Text)
	}
}
