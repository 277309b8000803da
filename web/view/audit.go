package view

import (
	"encoding/json"
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

// chosenWords are for "6 chosen", or for a filter: its fields and values in the
// order in which the form has them.
func (p Page) chosenWords(said string) string {
	if n, err := strconv.Atoi(strings.TrimSuffix(said, " chosen")); err == nil {
		return p.T("bulk.chosen", "n", n)
	}
	filter, whole := readFilter(said)
	if filter == nil {
		return said
	}
	var parts []string
	for _, name := range []string{"workflow", "status", "source", "version", "trigger", "attribute", "label", "text", "from", "to"} {
		if value := filter[name]; value != "" {
			parts = append(parts, p.filterWords(name, value))
		}
	}
	if !whole {
		parts = append(parts, "…")
	}
	if len(parts) == 0 {
		return p.T("pages.runs.all")
	}
	return dotted(parts...)
}

// filterWords are one field of a filter of runs with its value.
func (p Page) filterWords(name, value string) string {
	label := p.word("pages.runs.find.", name)
	switch name {
	case "workflow":
		label = p.T("pages.runs.workflow")
	case "status":
		label, value = p.T("pages.runs.status"), p.word("status.", value)
	case "source":
		label, value = p.T("pages.runs.source"), p.word("pages.runs.source.", value)
	}
	return p.T("pages.runs.find.is", "field", label, "value", value)
}

// readFilter reads an object of texts, as far as it goes: the log cuts what is
// long. Nil: it is none.
func readFilter(said string) (filter map[string]string, whole bool) {
	d := json.NewDecoder(strings.NewReader(said))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}
	filter = map[string]string{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return filter, false
		}
		value, err := d.Token()
		if err != nil {
			return filter, false
		}
		key, isText := name.(string)
		text, alsoText := value.(string)
		if !isText || !alsoText {
			return nil, false
		}
		filter[key] = text
	}
	_, err := d.Token()
	return filter, err == nil
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
