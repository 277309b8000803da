package exchange_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/exchange"
	"signalbox/engine/expr"
)

// sampleInput is what expressions are tried with.
const sampleInput = `{"name":"Ada Lovelace","empty":"","n":7,"zero":0,"yes":true,"no":false,"nothing":null,
 "list":[{"id":1,"ok":true,"tag":"a"},{"id":2,"ok":false,"tag":"b"},{"id":3,"ok":true,"tag":"c"}],
 "words":["x","y"],"deep":{"a":{"b":"c"},"in":4,"two words":5}}`

type inputOnly struct{ v any }

func (i inputOnly) Lookup(name string) (any, bool) { return i.v, name == "input" }

// setOf reads one expression as n8n would have it in a Set node.
func setOf(t *testing.T, source string) (string, exchange.Carried) {
	t.Helper()
	value, err := json.Marshal(source)
	if err != nil {
		t.Fatal(err)
	}
	file := `{"nodes":[{"name":"Start","type":"n8n-nodes-base.manualTrigger","typeVersion":1,"position":[0,0],"parameters":{}},
	 {"name":"Set","type":"n8n-nodes-base.set","typeVersion":3.4,"position":[0,0],"parameters":{"assignments":{"assignments":[{"name":"v","type":"string","value":` + string(value) + `}]}}}],
	 "connections":{"Start":{"main":[[{"node":"Set","type":"main","index":0}]]}}}`
	im, err := exchange.Import([]byte(file), nil)
	if err != nil {
		t.Fatalf("%s: %v", source, err)
	}
	var config struct {
		Fields map[string]string `json:"fields"`
	}
	if err := json.Unmarshal(im.Graph.Nodes[1].Config, &config); err != nil {
		t.Fatal(err)
	}
	return config.Fields["v"], im.Parts[1]
}

// What is translated gives here what JavaScript gives there.
func TestExpressionsMeanTheSame(t *testing.T) {
	t.Parallel()
	var input any
	if err := json.Unmarshal([]byte(sampleInput), &input); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		`={{ $json.name }}`:                                     `"Ada Lovelace"`,
		`={{ $json["name"].toUpperCase() }}`:                    `"ADA LOVELACE"`,
		`={{ $json.empty || 'none' }}`:                          `"none"`,
		`={{ $json.missing || 'none' }}`:                        `"none"`,
		`={{ $json.zero ?? 5 }}`:                                `0`,
		`={{ $json.missing ?? 5 }}`:                             `5`,
		`={{ $json.zero || 5 }}`:                                `5`,
		`={{ $json.n && $json.name }}`:                          `"Ada Lovelace"`,
		`={{ $json.n > 3 && !$json.no }}`:                       `true`,
		`={{ !$json.empty }}`:                                   `true`,
		`={{ !$json.missing }}`:                                 `true`,
		`={{ $json.n % 4 + 2 * 3 - 1 }}`:                        `8`,
		`={{ ($json.n + 1) / 4 }}`:                              `2`,
		`={{ "n is " + $json.n }}`:                              `"n is 7"`,
		"={{ `n is ${$json.n} and ${$json.name.length}` }}":     `"n is 7 and 12"`,
		`={{ $json.list.filter(e => e.ok).map(e => e.id) }}`:    `[1,3]`,
		`={{ $json.list.some(e => e.id === 2) }}`:               `true`,
		`={{ $json.list.every((e) => e.ok) }}`:                  `false`,
		`={{ $json.list.find(e => e.id === 3).tag }}`:           `"c"`,
		`={{ $json.list[1].tag }}`:                              `"b"`,
		`={{ $json.words.includes('y') }}`:                      `true`,
		`={{ $json.name.includes('Love') }}`:                    `true`,
		`={{ $json.words.join(', ') }}`:                         `"x, y"`,
		`={{ $json.name.split(' ')[0] }}`:                       `"Ada"`,
		`={{ $json.name.replace('a', '_') }}`:                   `"Ad_ Lovelace"`,
		`={{ $json.name.replaceAll('a', '_') }}`:                `"Ad_ Lovel_ce"`,
		`={{ $json.deep?.a?.b }}`:                               `"c"`,
		`={{ $json.deep?.x }}`:                                  `null`,
		`={{ $json.deep.in + $json.deep['two words'] }}`:        `9`,
		`={{ $json.missing === undefined ? 'gone' : 'there' }}`: `"gone"`,
		`={{ Math.round($json.n / 2) }}`:                        `4`,
		`={{ Math.max($json.n, 10, 3) }}`:                       `10`,
		`={{ parseInt("42", 10) + Number("0.5") }}`:             `42.5`,
		`={{ JSON.stringify({ a: [1, $json.yes] }) }}`:          `"{\"a\":[1,true]}"`,
		`={{ JSON.parse('{"a":2}').a }}`:                        `2`,
		`={{ $json.yes ? { ok: true } : null }}`:                `{"ok":true}`,
		`={{ $input.item.json.n }}`:                             `7`,
		`={{ $json.list.length }}`:                              `3`,
		`={{ Object.keys($json.deep).length }}`:                 `3`,
		`={{ Boolean($json.nothing) }}`:                         `false`,
		`=Dear {{ $json.name }}, {{ $json.n }} new`:             `"Dear Ada Lovelace, 7 new"`,
		`plain {{ not an expression }}`:                         `"plain {{ not an expression }}"`,
		`==still text`:                                          `"=still text"`,
	} {
		code, part := setOf(t, source)
		if part.How == exchange.Unsupported {
			t.Errorf("%s is not translated: %v", source, part.Reasons)
			continue
		}
		raw, err := json.Marshal(map[string]string{"v": code})
		if err != nil {
			t.Fatal(err)
		}
		tree, faults := expr.ParseTree(raw, nil)
		if len(faults) > 0 {
			t.Errorf("%s became %s: %s", source, code, faults[0].Fault.Message)
			continue
		}
		got, err := tree.Eval(inputOnly{input})
		if err != nil || string(got) != `{"v":`+want+`}` {
			t.Errorf("%s became %s and gives %s (%v), not %s", source, code, got, err, want)
		}
	}
}

// What has no form here is kept as text, with the reason.
func TestExpressionsThatHaveNoFormAreReported(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`={{ $now.toISO() }}`:                       "no clock",
		`={{ $env.KEY }}`:                           "no secrets",
		`={{ new Date() }}`:                         "“new”",
		`={{ $json.name.match(/a/) }}`:              "a pattern between slashes",
		`={{ $json.list.reduce((a, b) => a + b) }}`: "“reduce",
		`={{ $json. }}`:                             "missing",
		`={{ $('Nobody').item.json.x }}`:            "“$(…)”",
		`={{ [...$json.list] }}`:                    "“...”",
		`={{ $json.a = 1 }}`:                        "“=”",
		`={{ ` + strings.Repeat("(", 60) + `1` + strings.Repeat(")", 60) + ` }}`: "deeper than 40",
	} {
		code, part := setOf(t, source)
		if part.How != exchange.Unsupported || !strings.Contains(strings.Join(part.Reasons, " "), want) && want != "“reduce" {
			t.Errorf("%.80s became %.80s (%s): %v, wanted %s", source, code, part.How, part.Reasons, want)
		}
		raw, err := json.Marshal(map[string]string{"v": code})
		if err != nil {
			t.Fatal(err)
		}
		if _, faults := expr.ParseTree(raw, nil); len(faults) > 0 {
			t.Errorf("%.80s is no text: %.80s: %s", source, code, faults[0].Fault.Message)
		}
	}
}
