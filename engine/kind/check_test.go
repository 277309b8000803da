package kind_test

import (
	"encoding/json"
	"strings"
	"testing"

	"signalbox/engine/kind"
)

func TestBadConfigurationsNameTheField(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, config, want string }{
		{"http", `{`, `: The configuration is not valid JSON. (an object)`},
		{"http", `{"url":"https://x.example"} {}`, `: The configuration is not valid JSON. (an object)`},
		{"http", `[]`, `: The configuration must be an object. (an object)`},
		{"http", `"=input"`, `: The configuration must be an object. (an object)`},
		{"http", `{}`, `/url: “Address” is missing. (for example https://api.example.com/orders/{{ input.id }})`},
		{"http", `{"url":""}`, `/url: “Address” is missing. (for example https://api.example.com/orders/{{ input.id }})`},
		{"http", `{"url":null}`, `/url: “Address” is missing. (for example https://api.example.com/orders/{{ input.id }})`},
		{"http", `{"url":7}`, `/url: “Address” must be text, not a number. (text)`},
		{"http", `{"url":"ftp://x"}`, `/url: “Address”: "ftp://x" is not a web address. (an address that starts with https:// or http://)`},
		{"http", `{"url":"==https://x"}`, `/url: “Address”: "==https://x" is not a web address. (an address that starts with https:// or http://)`},
		{"http", `{"url":"https://x.example","metod":"GET"}`, `/metod: There is no field "metod" here. (one of method, url, query, headers, auth, credential, body_type, body, response)`},
		{"http", `{"url":"https://x.example","a/b~c":1}`, `/a~1b~0c: There is no field "a/b~c" here. (one of method, url, query, headers, auth, credential, body_type, body, response)`},
		{"http", `{"url":"https://x.example","method":"get"}`, `/method: “Method” cannot be "get". (one of GET, POST, PUT, PATCH, DELETE, HEAD)`},
		{"http", `{"url":"https://x.example","method":"=input.method"}`, `/method: “Method” cannot be "=input.method". (one of GET, POST, PUT, PATCH, DELETE, HEAD)`},
		{"http", `{"url":"https://x.example","headers":["a"]}`, `/headers: “Headers” must be an object, not a list. (an object)`},
		{"http", `{"url":"https://x.example","auth":"credential"}`, `/credential: “Credential” is missing. (the name of a stored credential)`},
		{"webhook", `{}`, `/credential: “Credential” is missing. (the name of a stored credential)`},
		{"webhook", `{"auth":"none","path":"a b"}`, `/path: “Path” cannot be "a b". (for example orders-3f9ab2)`},
		{"webhook", `{"auth":"none","methods":[]}`, `/methods: “Methods” needs an entry. (at least 1)`},
		{"webhook", `{"auth":"none","methods":["GET","=x"]}`, `/methods/1: Entry 2 cannot be "=x". (one of POST, PUT, PATCH, GET, DELETE)`},
		{"webhook", `{"auth":"none","methods":"=x"}`, `/methods: “Methods” must be a list, not text. (a list)`},
		{"webhook", `{"auth":"none","max_bytes":"=1"}`, `/max_bytes: “Largest body” must be a number, not text. (a whole number)`},
		{"webhook", `{"auth":"none","max_bytes":1.5}`, `/max_bytes: “Largest body” must be a whole number. (a whole number)`},
		{"webhook", `{"auth":"none","max_bytes":1e300}`, `/max_bytes: “Largest body” cannot be 1e+300. (at most 1048576)`},
		{"webhook", `{"auth":"none","max_bytes":1e400}`, `/max_bytes: “Largest body” is out of range. (a whole number)`},
		{"respond", `{"status":199}`, `/status: “Status” cannot be 199. (at least 200)`},
		{"respond", `{"status":600}`, `/status: “Status” cannot be 600. (at most 599)`},
		{"respond", `{"status":"200"}`, `/status: “Status” must be a number, not text. (a whole number)`},
		{"set", `{"fields":{},"keep":"yes"}`, `/keep: “Keep the other fields” must be true or false, not text. (true or false)`},
		{"wait", `{"duration":"soon"}`, `/duration: “For”: "soon" is not a duration. (a number with a unit, for example 500ms, 30s or 5m, up to ten years)`},
		{"wait", `{"duration":"90000h"}`, `/duration: “For”: "90000h" is not a duration. (a number with a unit, for example 500ms, 30s or 5m, up to ten years)`},
		{"wait", `{"duration":"-5s"}`, `/duration: “For”: "-5s" is not a duration. (a number with a unit, for example 500ms, 30s or 5m, up to ten years)`},
		{"wait", `{"duration":""}`, `/duration: A wait needs a duration or a time. (for example 15m)`},
		{"wait", `{"until":"tomorrow"}`, `/until: “Or until”: "tomorrow" is not a time. (a time like 2026-11-30T09:00:00Z)`},
		{"if", `{"condition":true}`, `/condition: “Condition” must be text, not true or false. (text)`},
		{"if", `{"condition":""}`, `/condition: “Condition” is missing. (for example input.priority >= 8)`},
		{"join", `{"mode":"all"}`, `/mode: There is no field "mode" here. (no field at all)`},
		{"fail", `{"message":"` + strings.Repeat("a", 2_001) + `"}`, `/message: “Message” has 2001 characters. (at most 2000 characters)`},
		{
			"llm", `{"base_url":"https://x.example","model":"m","messages":[{"role":"boss","content":"x"},{"content":"x"},7]}`,
			`/messages/0/role: “Role” cannot be "boss". (one of system, user, assistant)
/messages/1/role: “Role” is missing. (one of system, user, assistant)
/messages/2: Entry 3 must be an object, not a number. (an object)`,
		},
		{"llm", `{"base_url":"https://x.example","model":"m","messages":[{"role":"user","content":"x"}],"temperature":2.5}`, `/temperature: “Temperature” cannot be 2.5. (at most 2)`},
		{"route", `{}`, `/rules: “Routes” is missing. (a list)`},
		{"route", `{"rules":[]}`, `/rules: “Routes” needs an entry. (at least 1)`},
		{"route", `{"rules":"=input.rules"}`, `/rules: “Routes” must be a list, not text. (a list)`},
		{"route", `{"rules":[{"when":"true"}]}`, `/rules/0/port: “Way” is missing. (for example express)`},
		{"route", `{"rules":[{"port":"a","when":"true"},{"port":"a","when":"true"}]}`, `/rules/1/port: Two ways are called "a". (a name of its own)`},
		{"route", `{"rules":[{"port":"default","when":"true"}]}`, `/rules/0/port: The way "default" is there already. (another name)`},
		{"route", `{"rules":[{"port":"Big One","when":"true"}]}`, `/rules/0/port: A way cannot be called "Big One". (small letters, digits and _, a letter first, at most 40)`},
		{"route", `{"rules":[{"port":"=input.port","when":"true"}]}`, `/rules/0/port: A way cannot be called "=input.port". (small letters, digits and _, a letter first, at most 40)`},
		{"route", `{"rules":[{"port":"a","when":"true","then":1}]}`, `/rules/0/then: There is no field "then" here. (one of when, port)`},
		{"metric", `{"name":"Paid","value":"1"}`, `/name: “Name” cannot be "Paid". (for example orders_paid)`},
		{"metric", `{"name":"paid","value":"1","type":"sum"}`, `/type: “Type” cannot be "sum". (one of counter, gauge, histogram)`},
		{"metric", `{"name":"paid","value":"1","labels":{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6}}`, `/labels: “Labels” has 6 entries. (at most 5)`},
		{"metric", `{"name":"paid","value":"1","labels":{"Country":"NO","le":"1","list":[1]}}`, "/labels/Country: A label cannot be called \"Country\". (small letters, digits and _, a letter first, at most 40)\n" +
			"/labels/le: The label \"le\" means something already. (another name)\n/labels/list: A label cannot be a list. (text, a number, true or false)"},
		{"outcome", `{"name":"label","says":"guess","decision":"run.id","value":"1"}`, `/says: “Writes down” cannot be "guess". (one of prediction, truth)`},
		{"mock", `{"latency_ms":60001}`, `/latency_ms: “Takes” cannot be 60001. (at most 60000)`},
	} {
		s, ok := kind.Find(c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		var got []string
		for _, f := range s.Check(json.RawMessage(c.config)) {
			got = append(got, f.Pointer+": "+f.Message+" ("+f.Expected+")")
		}
		if all := strings.Join(got, "\n"); all != c.want {
			t.Errorf("%s %.200s:\ngot  %s\nwant %s", c.kind, c.config, all, c.want)
		}
	}
}

func TestGoodConfigurationsPass(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, config string }{
		{"manual", ``},
		{"manual", `{}`},
		{"join", `{}`},
		{"http", `{"url":"=input.url"}`},
		{"http", `{"url":"{{ input.base }}/x","query":"=input.query","headers":{"X-Any":"=input.x"},"body":{"any":["thing"]},"x-theirs":{"kept":true}}`},
		{"http", `{"url":"https://x.example","auth":"","credential":""}`},
		{"webhook", `{"auth":"none"}`},
		{"webhook", `{"auth":"bearer","credential":"shop","path":""}`},
		{"respond", `{"status":"=input.ok ? 200 : 500"}`},
		{"set", `{"fields":"=input.fields","keep":"=input.keep"}`},
		{"set", `{"fields":{"a.b":null,"c":[1,{"d":"=1"}]}}`},
		{"wait", `{"duration":"=input.minutes","until":null}`},
		{"wait", `{"duration":"","until":"=input.at"}`},
		{"wait", `{"until":"2026-11-30T09:00:00.5+02:00"}`},
		{"llm", `{"base_url":"http://127.0.0.1:11434/v1","model":"{{ input.model }}","messages":"=input.messages","json_schema":{"type":"object","properties":{"x":{"type":"string"}}}}`},
		{"route", `{"rules":[{"port":"a","when":"input.a"},{"port":"b_2","when":"="}]}`},
		{"mock", `{"answer":"=input","latency_ms":0,"fail_times":2}`},
		{"metric", `{"name":"paid","value":"input.total","labels":"=input.labels"}`},
		{"metric", `{"name":"paid","value":"1","labels":{"country":"=input.country","vip":true,"tier":2}}`},
		{"outcome", `{"name":"label","decision":"input.id","value":"input.label"}`},
		{"fail", `{"message":"{{ input.why }}"}`},
	} {
		s, ok := kind.Find(c.kind)
		if !ok {
			t.Fatal(c.kind)
		}
		if faults := s.Check(json.RawMessage(c.config)); len(faults) > 0 {
			t.Errorf("%s %s: %+v", c.kind, c.config, faults)
		}
	}
}

func FuzzCheck(f *testing.F) {
	for _, s := range kind.All() {
		f.Add(s.Name, string(s.Example))
	}
	f.Fuzz(func(t *testing.T, name, config string) {
		s, ok := kind.Find(name)
		if !ok {
			return
		}
		raw := json.RawMessage(config)
		for _, fault := range s.Check(raw) {
			if fault.Message == "" || fault.Expected == "" {
				t.Errorf("%s %s: %+v", name, config, fault)
			}
		}
		s.PortsFor(raw)
		s.Defaults(raw)
		s.ExprMode(config)
	})
}
