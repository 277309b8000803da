// Package app builds the whole program from its settings and owns the order in
// which its parts start and stop. Tests boot the real program through it.
package app

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"signalbox/engine/worker"
)

// Config is every setting. Each has a flag, a variable of the environment named
// SIGNALBOX_ and the flag in capitals unless it says otherwise, and a line in
// the settings file.
type Config struct {
	Listen       string // host:port
	PublicURL    string // how browsers reach us; empty: http:// and Listen
	Data         string // directory of everything that is kept here
	DatabaseURL  string // DATABASE_URL; empty: a private PostgreSQL
	NATSURL      string // NATS_URL; empty: embedded
	NATSCreds    string
	KeyFile      string // of the vault; empty: key in Data
	SealValues   bool
	PGBin        string
	Assets       string
	TrustedProxy bool
	Local        bool
	Slots        int
	SlotsMin     int    // 0: as many as Slots
	Shards       int    // 0: by where the data are
	Keep         string // how long runs that are over are kept; empty: for ever
	Archive      string // directory where runs are kept before they are deleted; empty: none
	StuckAfter   string // how long a step without a history may take; empty: nobody looks
	KeepCounts   string // how long what boards show is kept; empty: for ever
	LogLevel     string
	LogFormat    string
	WorkerListen string // host:port where workers of one's own come over NATS; empty: none
	WorkerCert   string
	WorkerKey    string
	OpsListen    string // host:port of /healthz, /readyz and /metrics alone; empty: none
	MetricsToken string // opens /metrics there from elsewhere
	OTLPEndpoint string // of a collector of traces; empty: none
	OTLPHeaders  string // name=value, separated by commas
	File         string // settings as YAML

	// Of a worker at the edge, which knows only the address of its server.
	Server   string // URL; empty: no such worker
	Token    string // of the role worker
	Location string
	Spool    string // directory; empty: none
	Lease    string // empty: the node's
	Reach    string // origins, separated by commas

	instead map[string]worker.Action // of the usual ones, by kind; tests only
	inside  int                      // items of a map that are done inside its run; 0 as usual; tests only
}

// setting is one row of the table of settings.
type setting struct {
	name, env, usage, value string
	text                    *string
	on                      *bool
	number                  *int
}

func (c *Config) table() []setting {
	return []setting{
		{name: "listen", value: "127.0.0.1:8080", usage: "address to listen on; beyond this machine only with --trusted-proxy or an https --public-url", text: &c.Listen},
		{name: "public-url", usage: "how browsers reach this server, for example https://flows.example.org", text: &c.PublicURL},
		{name: "data", value: ".signalbox", usage: "directory of the data", text: &c.Data},
		{name: "database-url", env: "DATABASE_URL", usage: "a PostgreSQL of your own, 15 or newer; empty: a private one is started", text: &c.DatabaseURL},
		{name: "nats-url", env: "NATS_URL", usage: "a NATS server of your own, with JetStream; empty: embedded", text: &c.NATSURL},
		{name: "nats-creds", usage: "file with the credentials for it", text: &c.NATSCreds},
		{name: "key-file", usage: "file with the 32 bytes that seal the credentials; empty: key in the directory of the data, made at the first start", text: &c.KeyFile},
		{name: "seal-values", usage: "large values are sealed with the same key in the database from now on; those that are there stay as they are", on: &c.SealValues},
		{name: "pg-bin", usage: "directory of PostgreSQL's binaries; empty: searched", text: &c.PGBin},
		{name: "assets", usage: "directory of the built files; empty: those in the binary", text: &c.Assets},
		{name: "trusted-proxy", usage: "a proxy in front ends TLS and sets X-Forwarded-For", on: &c.TrustedProxy},
		{name: "local", usage: "hand tasks straight to the workers of this process, without NATS in between", on: &c.Local},
		{name: "slots", value: "16", usage: "attempts that each queue runs at once in this process", number: &c.Slots},
		{name: "slots-min", value: "0", usage: "attempts that each queue runs at once when there is little to do: between this and --slots it grows as soon as tasks wait, and shrinks when they have not been needed for half a minute; 0: always --slots", number: &c.SlotsMin},
		{name: "shards", value: "0", usage: "parts into which runs are divided, shared out among the servers; 0: 8 with DATABASE_URL and NATS_URL, else 1. It is changed when a server starts while no other one lives", number: &c.Shards},
		{name: "keep", usage: "how long runs that are over are kept, for example 30d or 12h; older ones are deleted with all their data; empty: for ever", text: &c.Keep},
		{name: "archive", usage: "directory into which the histories of runs are written before --keep deletes them; empty: nowhere", text: &c.Archive},
		{name: "keep-counts", value: "400d", usage: "how long boards look back: counts by the hour, points of metric nodes, predictions and truths are deleted after that; empty: for ever", text: &c.KeepCounts},
		{name: "stuck-after", value: "24h", usage: "a step that waits for somebody, or whose attempt is silent, for longer than this is shown as stuck, unless its history says what is usual; an hour or more; empty: nobody looks", text: &c.StuckAfter},
		{name: "log", value: "info", usage: "debug, info, warn or error", text: &c.LogLevel},
		{name: "log-format", value: "text", usage: "text or json", text: &c.LogFormat},
		{name: "worker-listen", usage: "address where workers of one's own come over NATS, with an API token of the role worker; beyond this machine only with --worker-cert; empty: they come over HTTP only", text: &c.WorkerListen},
		{name: "worker-cert", usage: "file with the certificate for --worker-listen", text: &c.WorkerCert},
		{name: "worker-key", usage: "file with its key", text: &c.WorkerKey},
		{name: "ops-listen", usage: "a second address that answers only /healthz, /readyz and /metrics, by any name; empty: none", text: &c.OpsListen},
		{name: "metrics-token", usage: "bearer token that opens /metrics at --ops-listen to other machines; empty: this machine only", text: &c.MetricsToken},
		{name: "otlp-endpoint", env: "OTEL_EXPORTER_OTLP_ENDPOINT", usage: "collector that gets a trace of each run that is over, for example http://localhost:4318; empty: none", text: &c.OTLPEndpoint},
		{name: "otlp-headers", env: "OTEL_EXPORTER_OTLP_HEADERS", usage: "headers for it: name=value, separated by commas", text: &c.OTLPHeaders},
		{name: "server", env: "SIGNALBOX_URL", usage: "address of a server for which signalbox worker works at the edge, with a token in place of DATABASE_URL and NATS_URL, for example https://flows.example.org", text: &c.Server},
		{name: "token", usage: "API token of the role worker, for --server; better in the variable, since others see flags", text: &c.Token},
		{name: "location", usage: "where a worker at the edge is, for example shop-7: it does the steps that a route sends to at:shop-7", text: &c.Location},
		{name: "spool", usage: "directory, readable by nobody else, where a worker at the edge keeps results while the line is down; empty: they are kept in memory for a minute", text: &c.Spool},
		{name: "lease", usage: "how long the line may be down before another worker gets the tasks of a worker at the edge, at most 10m; empty: as the step says, or 30s", text: &c.Lease},
		{name: "reach", usage: "origins in the private network that steps may call at the edge, separated by commas, for example http://localhost:11434,http://192.168.1.20; all others have to be public", text: &c.Reach},
		{name: "config", usage: "file with settings as YAML, one name and value a line", text: &c.File},
	}
}

// variable is the setting's name in the environment.
func (s setting) variable() string {
	if s.env != "" {
		return s.env
	}
	return "SIGNALBOX_" + strings.ToUpper(strings.ReplaceAll(s.name, "-", "_"))
}

// SettingsTable lists all settings as Markdown, for docs/operations.md.
func SettingsTable() string {
	var b strings.Builder
	b.WriteString("| flag | variable | default | what |\n|---|---|---|---|\n")
	for _, s := range new(Config).table() {
		value := s.value
		if value != "" {
			value = "`" + value + "`"
		}
		fmt.Fprintf(&b, "| `--%s` | `%s` | %s | %s |\n", s.name, s.variable(), value, s.usage)
	}
	return b.String()
}

// Parse reads flags over environment over the settings file over defaults.
// getenv is os.Getenv.
func Parse(args []string, getenv func(string) string, out io.Writer) (Config, error) {
	return parse(flag.NewFlagSet("signalbox", flag.ContinueOnError), args, getenv, out)
}

// parse is Parse with further flags, which the set has already.
func parse(fs *flag.FlagSet, args []string, getenv func(string) string, out io.Writer) (Config, error) {
	var c Config
	table := c.table()
	fs.SetOutput(out)
	for _, s := range table {
		if err := s.register(fs); err != nil {
			return c, err
		}
	}
	if err := fs.Parse(args); err != nil {
		return c, err //nolint:wrapcheck // the flag set has said it already
	}
	if fs.NArg() > 0 {
		return c, fmt.Errorf("%q was not understood", fs.Arg(0))
	}
	said := map[string]bool{}
	fs.Visit(func(f *flag.Flag) { said[f.Name] = true })
	if !said["config"] {
		c.File = getenv("SIGNALBOX_CONFIG")
	}
	file, err := readSettings(c.File, fs)
	if err != nil {
		return c, err
	}
	for _, s := range table {
		value, from := getenv(s.variable()), s.variable()
		if value == "" {
			value, from = file[s.name], c.File
		}
		if value == "" || said[s.name] {
			continue
		}
		if err := fs.Set(s.name, value); err != nil {
			return c, fmt.Errorf("%s: %q is no value for %s", from, value, s.name)
		}
	}
	return c, c.validate()
}

func (s setting) register(fs *flag.FlagSet) error {
	usage := s.usage + " (" + s.variable() + ")"
	switch {
	case s.text != nil:
		fs.StringVar(s.text, s.name, s.value, usage)
	case s.on != nil:
		fs.BoolVar(s.on, s.name, false, usage)
	default:
		n, err := strconv.Atoi(s.value)
		if err != nil {
			return fmt.Errorf("the default of %s is not a number: %w", s.name, err)
		}
		fs.IntVar(s.number, s.name, n, usage)
	}
	return nil
}

// readSettings reads a settings file. A name that is no setting is refused: it
// is most likely a typo.
func readSettings(path string, fs *flag.FlagSet) (map[string]string, error) {
	if path == "" {
		return map[string]string{}, nil
	}
	raw, err := os.ReadFile(path) //nolint:gosec // the operator chooses the path
	if err != nil {
		return nil, fmt.Errorf("read the settings: %w", err)
	}
	file := map[string]string{}
	if err := yaml.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("%s is not a list of names and values: %w", path, err)
	}
	for _, name := range slices.Sorted(maps.Keys(file)) {
		if fs.Lookup(name) == nil || name == "config" {
			return nil, fmt.Errorf("%s: there is no setting %q", path, name)
		}
	}
	return file, nil
}

// tokenMin is how short a token may be that opens something.
const tokenMin = 16

func (c *Config) validate() error {
	var faults []error
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return fmt.Errorf("--listen %q is not host:port", c.Listen)
	}
	if c.PublicURL != "" {
		if u, err := url.Parse(c.PublicURL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			faults = append(faults, fmt.Errorf("--public-url %q is not http://host or https://host", c.PublicURL))
		}
	}
	if !loopback(host) && !c.TrustedProxy && !strings.HasPrefix(c.PublicURL, "https://") {
		faults = append(faults, fmt.Errorf("--listen %s would open Signalbox to the network without TLS; put a proxy in front and say --trusted-proxy, or set an https --public-url", c.Listen))
	}
	if c.OpsListen != "" {
		if _, _, err := net.SplitHostPort(c.OpsListen); err != nil {
			faults = append(faults, fmt.Errorf("--ops-listen %q is not host:port", c.OpsListen))
		}
	}
	faults = append(faults, c.validateWorkers()...)
	if _, err := parseKeep("--keep-counts", c.KeepCounts); err != nil {
		faults = append(faults, err)
	}
	if _, err := parseKeep("--stuck-after", c.StuckAfter); err != nil {
		faults = append(faults, err)
	}
	if _, err := parseKeep("--keep", c.Keep); err != nil {
		faults = append(faults, err)
	}
	if c.LogFormat != "text" && c.LogFormat != "json" {
		faults = append(faults, fmt.Errorf("--log-format %q is not text or json", c.LogFormat))
	}
	if c.MetricsToken != "" && len(c.MetricsToken) < tokenMin {
		faults = append(faults, fmt.Errorf("--metrics-token has less than %d characters", tokenMin))
	}
	if c.Shards < 0 || c.Shards > shardsMax {
		faults = append(faults, fmt.Errorf("--shards %d is not from 0 to %d", c.Shards, shardsMax))
	}
	if c.SlotsMin < 0 || c.SlotsMin > c.Slots {
		faults = append(faults, fmt.Errorf("--slots-min %d is not from 0 to --slots, which is %d", c.SlotsMin, c.Slots))
	}
	if c.Slots < 1 || c.Slots > 10_000 {
		faults = append(faults, fmt.Errorf("--slots %d is not from 1 to 10,000", c.Slots))
	}
	return errors.Join(faults...)
}

// How runs are divided.
const (
	shardsShared = 8   // unless the settings say otherwise; each is a connection to the database
	shardsMax    = 256 // more would only cost connections
)

// shared reports whether several servers can do the work together: they need
// one database, and NATS to reach each other.
func (c *Config) shared() bool { return c.DatabaseURL != "" && c.NATSURL != "" && !c.Local }

// shards is how many there should be.
func (c *Config) shards() int {
	switch {
	case c.Shards > 0:
		return c.Shards
	case c.shared():
		return shardsShared
	default:
		return 1
	}
}

// validateWorkers looks at the settings of workers of one's own.
func (c *Config) validateWorkers() []error {
	var faults []error
	if (c.WorkerCert == "") != (c.WorkerKey == "") {
		faults = append(faults, errors.New("--worker-cert and --worker-key go together"))
	}
	if c.WorkerListen == "" {
		return faults
	}
	switch host, _, err := net.SplitHostPort(c.WorkerListen); {
	case err != nil:
		faults = append(faults, fmt.Errorf("--worker-listen %q is not host:port", c.WorkerListen))
	case c.NATSURL != "" || c.Local:
		faults = append(faults, errors.New("--worker-listen is for the embedded NATS; with one of your own its configuration lets workers in, see deploy/nats"))
	case !loopback(host) && c.WorkerCert == "":
		faults = append(faults, fmt.Errorf("--worker-listen %s would send tokens over the network without TLS; name a certificate by --worker-cert and --worker-key", c.WorkerListen))
	}
	return faults
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
