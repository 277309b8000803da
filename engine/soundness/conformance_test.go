//go:build conformance

package soundness_test

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"signalbox/engine/soundness"
)

// label is what others found out about a model: a property and whether it
// holds.
type label struct {
	property string // completes, proper, safe, alive
	holds    bool
}

// labels of the models whose file name tells what they show.
func labelsByName() map[string]label {
	return map[string]label{
		"no_dead_activities/dead-activities":              {"alive", false},
		"no_dead_activities/no-dead-activities":           {"alive", true},
		"option_to_complete/no-option-to-complete-1":      {"completes", false},
		"option_to_complete/no-option-to-complete-2":      {"completes", false},
		"proper_completion/no-proper-completion-1":        {"proper", false},
		"proper_completion/no-proper-completion-2":        {"proper", false},
		"proper_completion/no-proper-completion-3-unsafe": {"proper", false},
		"proper_completion/proper-completion-1":           {"proper", true},
		"proper_completion/proper-completion-2":           {"proper", true},
		"safeness/unsafe":                                 {"safe", false},
		"integration/livelock":                            {"completes", false},
		"integration/p6_stuck":                            {"completes", false},
		"quickfix-js/dead-activity":                       {"alive", false},
		"quickfix-js/dead_tasks_connected":                {"alive", false},
		"quickfix-js/livelock":                            {"completes", false},
		"quickfix-js/stuck":                               {"completes", false},
		"quickfix-js/unsafe-gateways":                     {"safe", false},
		"quickfix-js/reused-end-event":                    {"proper", false},
		"quickfix-js/implicit-task-merge":                 {"safe", false},
		"quickfix-js/implicit-task-split":                 {"safe", false},
	}
}

const orJoin = "two inclusive joins side by side in a loop: what one waits for can, over the loop, also come to the other. BPMN lets a join fire if that could as well come to an edge that has a token; ours wait for each other, and the machine's run shows it"

// differences that are meant, by model: the construct and what it means here.
func explained() map[string]string {
	return map[string]string{
		"e012OrSize2x2": orJoin,
		"e013OrSize2x3": orJoin,
		"e018OrSize2x4": orJoin,
		"e055TBE":       "a loop without a way out inside a subprocess that a timer interrupts: it completes there; we refuse the loop, timer or not",
	}
}

// reading is what the proof says of a model.
type reading struct {
	completes, proper, safe, alive bool
	codes                          []string
	witnesses                      []string
	failed                         []string
}

func TestBPMNModelsAreJudgedAsOthersDid(t *testing.T) {
	t.Parallel()
	root := os.Getenv("SOUNDNESS_DATA")
	if root == "" {
		t.Fatal("SOUNDNESS_DATA names no folder: it must hold soundness-fbpmn and soundness-bpmn-analyzer")
	}
	var lines []string
	agree, differ, apart, unlabeled := 0, 0, 0, 0
	each(t, root, func(name, path string, labels []label) {
		md, err := readBPMN(path)
		if err != nil {
			t.Fatal(err)
		}
		if md.processes != 1 || len(md.elements) == 0 {
			apart++
			lines = append(lines, row(name, "", "", "not compared: "+map[bool]string{true: "it is empty", false: "pools that send each other messages, which a workflow of ours does not hold"}[len(md.elements) == 0]))
			return
		}
		r := judgeModel(t, md)
		for _, w := range r.failed {
			t.Errorf("%s: %s", name, w)
		}
		if len(labels) == 0 {
			unlabeled++
			lines = append(lines, row(name, "—", r.String(), strings.Join(r.witnesses, "; ")))
		}
		for _, l := range labels {
			said := map[bool]string{true: l.property, false: "not " + l.property}[l.holds]
			note := strings.Join(r.witnesses, "; ")
			if r.holds(l.property) == l.holds {
				agree++
				lines = append(lines, row(name, said, r.String(), "agrees. "+note))
				continue
			}
			differ++
			why, ok := explained()[filepath.Base(name)]
			if !ok {
				t.Errorf("%s: they say %s, we find %v", name, said, r.codes)
			}
			lines = append(lines, row(name, said, r.String(), "DIFFERS: "+why))
		}
	})
	fmt.Fprintf(os.Stdout, "%s%s\n%d verdicts agree, %d differ and are explained, %d models have no verdict to compare, %d are of another kind.\n",
		row("model", "they say", "we find", "compared, and what the witness did on the machine"), strings.Join(lines, ""), agree, differ, unlabeled, apart)
	if agree == 0 {
		t.Error("nothing was compared")
	}
}

func row(cells ...string) string {
	return fmt.Sprintf("%-52s %-14s %-46s %s\n", cells[0], cells[1], cells[2], cells[3])
}

// each visits the models of both collections with their labels.
func each(t *testing.T, root string, do func(name, path string, labels []label)) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(root, "soundness-fbpmn", "labels.json"))
	if err != nil {
		t.Fatal(err)
	}
	var verdicts map[string]struct {
		Safe  *bool `json:"Prop02Safe"`  //nolint:tagliatelle // theirs
		Sound *bool `json:"Prop03Sound"` //nolint:tagliatelle // theirs
	}
	if err := json.Unmarshal(raw, &verdicts); err != nil {
		t.Fatal(err)
	}
	for _, set := range []string{"soundness-fbpmn", "soundness-bpmn-analyzer"} {
		base := filepath.Join(root, set, "bpmn")
		err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if d.IsDir() && d.Name() == "semantics" {
				return fs.SkipDir
			}
			if d.IsDir() || filepath.Ext(path) != ".bpmn" {
				return nil
			}
			name, err := filepath.Rel(base, strings.TrimSuffix(path, ".bpmn"))
			if err != nil {
				return err
			}
			var labels []label
			if l, ok := labelsByName()[strings.TrimPrefix(name, "properties/")]; ok && set != "soundness-fbpmn" {
				labels = append(labels, l)
			}
			if v, ok := verdicts[name]; ok && set == "soundness-fbpmn" && v.Safe != nil && v.Sound != nil {
				labels = append(labels, label{"safe", *v.Safe}, label{"sound", *v.Sound})
			}
			do(name, path, labels)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// judgeModel proves a model and plays what is found.
func judgeModel(t *testing.T, md model) reading {
	t.Helper()
	r := reading{completes: true, proper: true, safe: true, alive: true}
	l, err := md.lower()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range soundness.Prove(l.m) {
		r.note(l, f, f.Node >= 0 && l.m.Nodes[f.Node].In == 0)
	}
	slices.Sort(r.codes)
	r.codes = slices.Compact(r.codes)
	return r
}

func (r *reading) note(l *lowering, f soundness.Finding, root bool) {
	name := ""
	if f.Node >= 0 {
		name = l.name[l.m.Nodes[f.Node].Key]
	}
	r.codes = append(r.codes, f.Code)
	switch f.Code {
	case soundness.JoinStuck, soundness.JoinCycle, soundness.NoExit:
		r.completes = false
	case soundness.RunsTwice, soundness.GrowsWithoutEnd:
		r.safe = false
		for _, n := range append([]int{f.Node}, f.Related...) {
			r.proper = r.proper && !(root && strings.HasPrefix(l.name[l.m.Nodes[n].Key], "endEvent"))
		}
	case soundness.DeadNode:
		r.alive = r.alive && !strings.Contains(strings.ToLower(name), "task")
	}
	if len(f.Example) == 0 {
		return
	}
	came, err := newWitness(l.m, f).play()
	if err != nil || !shows(f, came) {
		r.failed = append(r.failed, fmt.Sprintf("the witness of %s at %s gave %q (%v)", f.Code, name, came, err))
		return
	}
	if note := f.Code + " → " + came; !slices.Contains(r.witnesses, note) {
		r.witnesses = append(r.witnesses, note)
	}
}

func (r reading) holds(property string) bool {
	switch property {
	case "completes":
		return r.completes
	case "proper":
		return r.proper
	case "safe":
		return r.safe
	case "sound":
		return r.completes && r.proper
	}
	return r.alive
}

func (r reading) String() string {
	if len(r.codes) == 0 {
		return "nothing wrong"
	}
	return strings.Join(r.codes, ", ")
}

// shows reports whether the run that a witness gave is what the finding says.
func shows(f soundness.Finding, came string) bool {
	switch f.Code {
	case soundness.JoinStuck:
		return came == "join_unsatisfied"
	case soundness.JoinCycle:
		return came == "join_cycle"
	case soundness.NoExit, soundness.GrowsWithoutEnd:
		return came == "loop_limit"
	case soundness.RunsTwice:
		return came == "two visits at once"
	}
	return true
}
