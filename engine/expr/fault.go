package expr

import (
	"regexp"
	"strings"

	"cel.dev/cel-go/cel"
)

// Fault is what is wrong with the text of an expression.
type Fault struct {
	Message string
	Offset  int // bytes from the start
	Line    int // from 1
	Column  int // from 1, in characters
}

var (
	unexpected = regexp.MustCompile(`(?:mismatched input|extraneous input|no viable alternative at input|token recognition error at:?) ?('(?:[^'\\]|\\.)*'|<EOF>)?`)
	missingOne = regexp.MustCompile(`missing (.+) at '(.*)'`)
	reserved   = regexp.MustCompile(`reserved identifier: (\S+)`)
)

// syntaxFault says in plain words what the parser did not like first.
func syntaxFault(src string, issues *cel.Issues) *Fault {
	errs := issues.Errors()
	f := &Fault{Message: "This is not an expression.", Line: 1, Column: 1}
	if len(errs) == 0 {
		return f
	}
	first := errs[0]
	f.Line, f.Column = max(1, first.Location.Line()), max(1, first.Location.Column()+1)
	f.Offset = offsetOf(src, f.Line, f.Column)
	f.Message = syntaxMessage(strings.TrimPrefix(first.Message, "Syntax error: "))
	return f
}

func syntaxMessage(msg string) string {
	if m := missingOne.FindStringSubmatch(msg); m != nil {
		return "“" + strings.Trim(m[1], "'") + "” is missing before " + atWhat(m[2]) + "."
	}
	if m := unexpected.FindStringSubmatch(msg); m != nil {
		what := strings.Trim(m[1], "'")
		switch {
		case what == "<EOF>" || what == "":
			return "The expression ends too early."
		case strings.Contains(msg, "token recognition") && strings.ContainsAny(what[:1], `"'`):
			return "The text that starts here has no end, or a backslash in it means nothing."
		case what == "=" || strings.HasPrefix(what, "= "):
			return "“=” does not fit here; to compare, write “==”."
		}
		return "“" + clip(what) + "” does not fit here."
	}
	if m := reserved.FindStringSubmatch(msg); m != nil {
		return "“" + clip(m[1]) + "” is a reserved word; a field of that name is input." + clip(m[1]) + " or input[\"" + clip(m[1]) + "\"]."
	}
	for _, known := range [][2]string{
		{"invalid argument to has()", "has(…) needs a field, for example has(input.name)."},
		{"must be a simple name", "A plain name is needed first: items.map(item, item.price)."},
		{"is not an identifier", "A plain name is needed first: items.map(item, item.price)."},
		{"must be simple identifiers", "A plain name is needed first: cel.bind(name, value, expression)."},
		{"duplicate variable name", "The two names must differ: items.all(index, item, …)."},
		{"sortBy can only be", "sortBy stands behind a list: input.items.sortBy(item, item.price)."},
		{"recursion", "The expression is nested too deeply."},
		{"invalid int literal", "This number is too large to be exact; write it as text."},
		{"invalid uint literal", "This number is too large to be exact; write it as text."},
		{"invalid double literal", "This is not a number that can be written."},
		{"escape", "A text holds a backslash that means nothing; write \\\\ for a backslash."},
		{"unsupported syntax", "This is not part of the language."},
	} {
		if strings.Contains(msg, known[0]) {
			return known[1]
		}
	}
	return "This is not an expression."
}

func atWhat(token string) string {
	if token == "<EOF>" {
		return "the end"
	}
	return "“" + clip(token) + "”"
}

// planFault is for what only shows when the evaluation is planned.
func planFault(err error) *Fault {
	msg, f := err.Error(), &Fault{Message: "This is not an expression.", Line: 1, Column: 1}
	switch {
	case strings.Contains(msg, "regex program size"):
		f.Message = "The pattern is too large; a regular expression may take 500 steps."
	case strings.Contains(msg, "error parsing regexp"):
		f.Message = "The pattern is not a regular expression: " + strings.TrimSpace(msg[strings.Index(msg, "error parsing regexp:")+len("error parsing regexp:"):]) + "."
	}
	return f
}

// place turns a count of characters into bytes, line and column.
func place(src string, char int) (offset, line, column int) {
	line, column = 1, 1
	for i, c := range src {
		if char == 0 {
			return i, line, column
		}
		char--
		column++
		if c == '\n' {
			line, column = line+1, 1
		}
	}
	return len(src), line, column
}

// offsetOf turns line and column into bytes.
func offsetOf(src string, line, column int) int {
	at := 0
	for l := 1; l < line; l++ {
		i := strings.IndexByte(src[at:], '\n')
		if i < 0 {
			return len(src)
		}
		at += i + 1
	}
	for _, c := range src[at:] {
		if column <= 1 {
			break
		}
		column--
		at += len(string(c))
	}
	return min(at, len(src))
}

func clip(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
