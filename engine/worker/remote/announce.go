package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"signalbox/engine/graph"
	"signalbox/engine/problem"
	"signalbox/engine/route"
	"signalbox/engine/worker/shape"
)

// What names look like.
var (
	typeRule   = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,59}$`)
	workerRule = regexp.MustCompile(`^[\pL\pN][\pL\pN ._:@/-]{0,79}$`)
	iconRule   = regexp.MustCompile(`^[a-z0-9-]{0,40}$`)
	classRule  = regexp.MustCompile(`^[a-z][a-z0-9_]{0,59}$`)
)

const schemaDeep = 64 // levels of nesting of a schema

const typeExpected = "small letters, digits, - and _, a letter first, 60 at most"

// announce stores which types a worker does.
func (o *Office) announce(ctx context.Context, c Caller, a Announcement) (Welcome, error) {
	if len(a.Types) == 0 && !a.Steps || len(a.Types) > 50 {
		return Welcome{}, problem.New(problem.Invalid, "A worker announces 1 to 50 task types.").At("/types", "length", "1 to 50 types, or none with steps")
	}
	names := make([]string, len(a.Types))
	for i := range a.Types {
		if p := a.Types[i].check("/types/" + strconv.Itoa(i)); p != nil {
			return Welcome{}, p
		}
		names[i] = a.Types[i].Name
	}
	p, err := o.presence(c, Request{Worker: a.Worker, Location: a.Location, Types: names, Steps: a.Steps})
	if err != nil {
		return Welcome{}, err
	}
	fits, err := o.cfg.Kept.Announce(ctx, p, a.Types)
	if err != nil {
		return Welcome{}, fmt.Errorf("store what a worker announces: %w", err)
	}
	if !fits {
		return Welcome{}, problem.New(problem.TooMany, "A workspace can have %d task types. Forget some that no worker does any more.", TypesMax)
	}
	return Welcome{Types: len(names), AliveSeconds: seconds(AliveFor)}, nil
}

// check looks at one announced type and fills in what was left out.
func (t *Type) check(at string) *problem.Problem {
	wrong := func(field, what, expected string) *problem.Problem {
		return problem.New(problem.Invalid, "A task type cannot be announced so.").At(at+field, what, expected)
	}
	if t.Title == "" {
		t.Title = t.Name
	}
	switch {
	case !typeRule.MatchString(t.Name):
		return wrong("/name", "not a name", typeExpected)
	case utf8.RuneCountInString(t.Title) > 80:
		return wrong("/title", "too long", "80 characters at most")
	case utf8.RuneCountInString(t.Description) > 500:
		return wrong("/description", "too long", "500 characters at most")
	case strings.ContainsRune(t.Title+t.Description, 0):
		return wrong("/title", "has a NUL character, which cannot be stored", "text")
	case !iconRule.MatchString(t.Icon):
		return wrong("/icon", "not an icon", "the name of an icon of Lucide")
	}
	for _, s := range []struct {
		field string
		raw   *json.RawMessage
	}{{"/input", &t.Input}, {"/output", &t.Output}} {
		if len(*s.raw) == 0 {
			*s.raw = json.RawMessage("{}")
		}
		if err := graph.CheckJSON(*s.raw, schemaDeep); err != nil {
			return wrong(s.field, err.Error(), "a JSON Schema")
		}
		if _, err := shape.New(*s.raw); err != nil {
			return wrong(s.field, err.Error(), "a JSON Schema")
		}
	}
	return nil
}

// presence is a worker as it asks.
func (o *Office) presence(c Caller, r Request) (Presence, error) {
	switch {
	case !workerRule.MatchString(r.Worker):
		return Presence{}, problem.New(problem.Invalid, "A worker needs a name.").At("/worker", "not a name", "letters, digits, spaces and ._:@/-, 80 at most")
	case r.Location != "" && !route.GoodLocation(r.Location):
		return Presence{}, problem.New(problem.Invalid, "No worker can be there.").At("/location", "not a location", route.LocationExpected)
	case r.Steps && r.Location == "":
		return Presence{}, problem.New(problem.Invalid, "The program's own steps are done elsewhere only at a location.").At("/location", "is empty", route.LocationExpected)
	}
	return Presence{
		Workspace: c.Workspace, Worker: r.Worker, Location: r.Location, Types: r.Types, Steps: r.Steps, Token: c.Token, SeenAt: o.cfg.Now(),
	}, nil
}

// touch stores that a worker is alive, at most every ten seconds, or that it
// left.
func (o *Office) touch(ctx context.Context, c Caller, r Request, left bool) error {
	p, err := o.presence(c, r)
	if err != nil {
		return err
	}
	p.Left = left
	key := workerKey{c.Workspace, r.Worker}
	o.mu.Lock()
	fresh := p.SeenAt.Sub(o.seen[key]) < seenEvery
	if !fresh {
		if len(o.seen) >= workersKept { // what is forgotten is only stored once more
			clear(o.seen)
		}
		o.seen[key] = p.SeenAt
	}
	if left {
		delete(o.seen, key)
		delete(o.notices, key)
	}
	o.mu.Unlock()
	if fresh && !left {
		return nil
	}
	if err := o.cfg.Kept.Seen(ctx, p); err != nil {
		return fmt.Errorf("store that a worker is alive: %w", err)
	}
	return nil
}

// Types lists the task types of a workspace with who does them now.
func (o *Office) Types(ctx context.Context, workspace string) ([]TypeState, error) {
	now := o.cfg.Now()
	types, workers, err := o.cfg.Kept.Known(ctx, workspace, now.Add(-seenWindow))
	if err != nil {
		return nil, fmt.Errorf("list task types: %w", err)
	}
	return states(types, workers, now), nil
}

// Workers lists the workers of a workspace that were heard of in the last days.
func (o *Office) Workers(ctx context.Context, workspace string) ([]Presence, error) {
	_, workers, err := o.cfg.Kept.Known(ctx, workspace, o.cfg.Now().Add(-24*time.Hour))
	if err != nil {
		return nil, fmt.Errorf("list workers: %w", err)
	}
	return workers, nil
}

// ForgetType takes an announced type out of the list; a worker that does it
// brings it back.
func (o *Office) ForgetType(ctx context.Context, workspace, name string) error {
	there, err := o.cfg.Kept.ForgetType(ctx, workspace, name)
	if err != nil {
		return fmt.Errorf("forget a task type: %w", err)
	}
	if !there {
		return problem.New(problem.NotFound, "There is no such task type.")
	}
	return nil
}
