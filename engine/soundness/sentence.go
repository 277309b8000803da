package soundness

import (
	"fmt"
	"strings"
)

// Sentence says the finding in words; title names a node.
func (f Finding) Sentence(title func(node int) string) string {
	name := ""
	if f.Node >= 0 {
		name = "“" + title(f.Node) + "”"
	}
	switch f.Code {
	case JoinStuck:
		if len(f.Missing) == 0 {
			return fmt.Sprintf("%s gets more tokens on some of its branches than on others, and what is left waits for ever; the run would fail there.", name)
		}
		branches := make([]string, len(f.Missing))
		for i, n := range f.Missing {
			branches[i] = "the branch from “" + title(n) + "”"
		}
		return fmt.Sprintf("%s waits for branches that need not come: a choice can leave %s without a token; the run would fail there.", name, strings.Join(branches, ", "))
	case JoinCycle:
		return f.cycle(title)
	case AbsorbInLoop:
		return fmt.Sprintf("%s is in a loop and swallows what comes late: it could not tell a late token from one of the next round.", name)
	case NoExit:
		return fmt.Sprintf("The loop through %s has no way out: once in it, a run never ends by itself.", name)
	case DeadNode:
		return fmt.Sprintf("%s can never run: no choice leads there.", name)
	case RunsTwice:
		after := ""
		if n := len(f.Related); n == 1 {
			after = " So can the step that follows it."
		} else if n > 1 {
			after = fmt.Sprintf(" So can %d steps that follow it.", n)
		}
		return fmt.Sprintf("%s can start again while it still runs: two tokens can come to it by ways that do not wait for each other.%s", name, after)
	case GrowsWithoutEnd:
		return fmt.Sprintf("Tokens can pile up at %s without end.", name)
	case CancelInLoop:
		return fmt.Sprintf("%s is in a loop and cancels the others: when it starts, it also ends what its own last start began.", name)
	default:
		return fmt.Sprintf("The drawing has too many combinations to be proved: %d states were looked at and what is reported was found in them.", f.States)
	}
}

// cycle names the joins that wait, and says why they do.
func (f Finding) cycle(title func(node int) string) string {
	names := make([]string, 0, 2)
	for _, n := range f.Related {
		names = append(names, "“"+title(n)+"”")
	}
	switch len(names) {
	case 0, 1:
		return fmt.Sprintf("“%s” can wait for ever for what only it could send round its loop.", title(f.Node))
	case 2:
		return fmt.Sprintf("%s and %s can wait for each other for ever: what waits at the one could still go round the loop and come to the other. Where only one of the branches comes, as behind an If, let each branch start it by itself; or put what is repeated into a Repeat.", names[0], names[1])
	default:
		return fmt.Sprintf("%d joins, among them %s and %s, can wait for each other for ever: what waits at one could still go round the loop and come to another. Where only one of the branches comes, as behind an If, let each branch start it by itself; or put what is repeated into a Repeat.", len(names), names[0], names[1])
	}
}
