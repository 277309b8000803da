package routing

import (
	"context"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"signalbox/engine/learn"
	"signalbox/engine/problem"
	"signalbox/engine/route"
)

// LearnedRule is a rule that learns, with what it knows.
type LearnedRule struct {
	Position int // in its table
	Name     string
	Learn    route.Learn
	All      LearnedPart    // all values together
	Parts    []LearnedPart  // by the values that are learned apart
	Fixed    []FixedChoice  // in the order of its queues
	Went     learn.Estimate // as the work was spread
}

// LearnedPart is what is known for some values.
type LearnedPart struct {
	For    string
	Queues []LearnedQueue
}

// LearnedQueue is a queue of a learned rule.
type LearnedQueue struct {
	Queue   string
	Share   float64 // of the work, now
	Off     string  // why it gets none
	N       float64 // attempts that count, lately
	Time    learn.Estimate
	Success learn.Estimate
}

// FixedChoice is what would have come of sending everything to one queue.
type FixedChoice struct {
	Queue string
	learn.Estimate
}

// LearnedRules lists the rules that learn in a table, as this process knows
// them.
func (s *Service) LearnedRules(ctx context.Context, workspace string, workflow uuid.UUID) ([]LearnedRule, error) {
	t, err := s.Table(ctx, workspace, workflow)
	if err != nil {
		return nil, err
	}
	list := []LearnedRule{}
	for i, r := range t.Rules.Rules {
		if r.Learn != nil {
			list = append(list, s.learnedRule(workspace, i, r))
		}
	}
	return list, nil
}

func (s *Service) learnedRule(workspace string, at int, r route.Rule) LearnedRule {
	out := LearnedRule{Position: at, Name: r.Name, Learn: *r.Learn}
	all := learn.Table{}
	s.learner.mu.Lock()
	defer s.learner.mu.Unlock()
	for subject, table := range s.learner.known {
		if subject.rule() != (name{workspace, r.Learn.ID}) {
			continue
		}
		out.Parts = append(out.Parts, s.learnedPart(subject, r.Learn, table))
		for queue, f := range table {
			all[queue] = all[queue].Plus(f)
		}
	}
	if len(out.Parts) == 0 {
		out.Parts = append(out.Parts, s.learnedPart(Subject{Workspace: workspace, Rule: r.Learn.ID}, r.Learn, nil))
	}
	slices.SortFunc(out.Parts, func(a, b LearnedPart) int { return compareNames(a.For, b.For) })
	out.All = together(out.Parts, r.Learn, all)
	for _, q := range r.Learn.Among {
		out.Fixed = append(out.Fixed, FixedChoice{q.Queue, all[q.Queue].Fixed(r.Learn.Goal, q.Cost)})
	}
	out.Went = learn.Went(r.Learn.Goal, r.Learn.Options(all))
	return out
}

// learnedPart is what a choice would see now.
func (s *Service) learnedPart(of Subject, rule *route.Learn, table learn.Table) LearnedPart {
	part := LearnedPart{For: of.For}
	a := route.Attributes{Workspace: of.Workspace}
	d := s.settle(s.held.Load(), route.Decision{Learn: rule}, &a) // for what is off
	known := route.Decision{Learn: rule}.Settle(&a, rule.Figures(table), func(queue string) string {
		for _, f := range d.Learned.Among {
			if f.Queue == queue {
				return f.Off
			}
		}
		return ""
	})
	for _, f := range known.Learned.Among {
		sums := table[f.Queue].Lately
		part.Queues = append(part.Queues, LearnedQueue{Queue: f.Queue, Share: f.Share, Off: f.Off, N: sums.N, Time: sums.Time(), Success: sums.Success()})
	}
	return part
}

// together is what is known without regard to the values that are learned
// apart. A share counts by the attempts of its part.
func together(parts []LearnedPart, rule *route.Learn, all learn.Table) LearnedPart {
	var out LearnedPart
	for i, q := range rule.Among {
		sums := all[q.Queue].Lately
		one := LearnedQueue{Queue: q.Queue, Off: parts[0].Queues[i].Off, N: sums.N, Time: sums.Time(), Success: sums.Success()}
		weight := 0.0
		for _, p := range parts {
			n := 1e-9 // of what nothing is known of
			for _, o := range p.Queues {
				n += o.N
			}
			one.Share += p.Queues[i].Share * n
			weight += n
		}
		one.Share /= weight
		out.Queues = append(out.Queues, one)
	}
	return out
}

// Forget makes a learned rule begin anew: it gets another id, and what was
// measured under the old one is dropped.
func (s *Service) Forget(ctx context.Context, workspace string, workflow uuid.UUID, rule, by string) (Table, error) {
	t, err := s.relearn(ctx, workspace, workflow, rule, by, func(l *route.Learn) { l.ID = newID() })
	if err != nil {
		return Table{}, err
	}
	if store, ok := s.store.(Figures); ok {
		if err := store.DropKnown(ctx, workspace, rule); err != nil {
			s.log.WarnContext(ctx, "what a rule forgot is still stored", "err", err) // nobody asks for it
		}
	}
	return t, nil
}

// Pin sends everything that a learned rule matches to one of its queues; empty:
// it chooses again.
func (s *Service) Pin(ctx context.Context, workspace string, workflow uuid.UUID, rule, queueName, by string) (Table, error) {
	return s.relearn(ctx, workspace, workflow, rule, by, func(l *route.Learn) { l.Pin = queueName })
}

// relearn changes one learned rule of a table.
func (s *Service) relearn(ctx context.Context, workspace string, workflow uuid.UUID, rule, by string, change func(*route.Learn)) (Table, error) {
	for range 3 { // somebody may change the table meanwhile
		t, err := s.Table(ctx, workspace, workflow)
		if err != nil {
			return Table{}, err
		}
		i := slices.IndexFunc(t.Rules.Rules, func(r route.Rule) bool { return r.Learn != nil && r.Learn.ID == rule })
		if i < 0 {
			return Table{}, problem.New(problem.NotFound, "There is no such learned rule.").At("rule", fmt.Sprintf("%.60q", rule), "the id of a rule that learns in this table")
		}
		own := *t.Rules.Rules[i].Learn
		change(&own)
		t.Rules.Rules = slices.Clone(t.Rules.Rules)
		t.Rules.Rules[i].Learn, t.UpdatedBy = &own, by
		if p := t.Rules.Check(t.of()); p != nil {
			return Table{}, p
		}
		t, err = s.PutTable(ctx, t)
		if p := problem.Of(err); p == nil || p.Code != problem.Conflict {
			return t, err
		}
	}
	return Table{}, errOld("The route table", 0)
}

// named gives each rule that learns anew an id, and leaves what it got as it
// was. A rule that was copied from another table learns apart from it.
func named(rules []route.Rule, elsewhere map[string]bool) []route.Rule {
	rules = slices.Clone(rules)
	for i, r := range rules {
		if r.Learn != nil && (r.Learn.ID == "" || elsewhere[r.Learn.ID]) {
			own := *r.Learn
			own.ID = newID()
			rules[i].Learn = &own
		}
	}
	return rules
}

// learnedElsewhere are the ids of rules that learn in the other tables of a
// workspace.
func (h *held) learnedElsewhere(t Table) map[string]bool {
	ids := map[string]bool{}
	for k, other := range h.tables {
		if k.workspace != t.Workspace || k == keyOf(t.Workspace, t.Workflow) {
			continue
		}
		for _, r := range other.Rules.Rules {
			if r.Learn != nil {
				ids[r.Learn.ID] = true
			}
		}
	}
	return ids
}
