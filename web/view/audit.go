package view

import (
	"strconv"
	"strings"
)

// said is what an entry tells beside its action. The log keeps roles and what
// a link allows as code, the same for everybody; a reader sees words.
func (d Deed) said(p Page) string {
	switch d.Action {
	case "member.role":
		if at := strings.LastIndex(d.Detail, ": "); at >= 0 {
			return d.Detail[:at+2] + p.roleWord(d.Detail[at+2:])
		}
	case "member.join", "member.invite":
		role, note, _ := strings.Cut(d.Detail, " ")
		return dotted(p.roleWord(role), note)
	case "token.create":
		if at := strings.LastIndex(d.Detail, " ("); at >= 0 {
			return dotted(d.Detail[:at], p.roleWord(strings.TrimSuffix(d.Detail[at+2:], ")")))
		}
	case "share.create":
		if parts := strings.SplitN(d.Detail, " ", 3); len(parts) == 3 {
			return dotted(p.word("pages.shares.", parts[0]), p.word("sharing.scope.", parts[1]), parts[2])
		}
	case "run.bulk":
		if act, chosen, ok := strings.Cut(d.Detail, ": "); ok {
			return p.actWords(act) + ": " + p.chosenWords(chosen)
		}
	}
	return d.Detail
}

// actWords are for "label late": an act on many runs, and its word.
func (p Page) actWords(said string) string {
	act, word, _ := strings.Cut(said, " ")
	return dotted(p.word("bulk.act.", act), word)
}

// chosenWords are for "6 chosen"; a filter stays as it is.
func (p Page) chosenWords(said string) string {
	if n, err := strconv.Atoi(strings.TrimSuffix(said, " chosen")); err == nil {
		return p.T("bulk.chosen", "n", n)
	}
	return said
}

func (p Page) roleWord(role string) string { return p.word("pages.role.", role) }

// word is the word for a code, or the code itself when it has none.
func (p Page) word(prefix, code string) string {
	if said := p.T(prefix + code); said != prefix+code {
		return said
	}
	return code
}

// dotted joins what is not empty.
func dotted(parts ...string) string {
	said := parts[:0:0]
	for _, part := range parts {
		if part != "" {
			said = append(said, part)
		}
	}
	return strings.Join(said, " · ")
}
