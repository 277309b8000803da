package share_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"signalbox/engine/graph"
	"signalbox/engine/runtime/brief"
	"signalbox/engine/share"
)

// fill puts the name of every field into it, so that a field that gets public
// shows by name: also one that is added to the type later.
func fill(v reflect.Value, name string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("@" + name + "@")
	case reflect.Int:
		v.SetInt(1)
	case reflect.Float64:
		v.SetFloat(1)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), name)
	case reflect.Slice:
		if v.Type() == reflect.TypeFor[json.RawMessage]() {
			v.SetBytes([]byte(`{"rules":[{"port":"@port@","when":"@when@"}],"x":"@` + name + `@"}`))
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), name)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		item := reflect.New(v.Type().Elem()).Elem()
		fill(item, name)
		v.SetMapIndex(reflect.ValueOf("id"), item)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fill(v.Field(i), name+"."+v.Type().Field(i).Name)
			}
		}
	}
}

// shown lists the texts that survived.
func shown(t *testing.T, v any) map[string]bool {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for i, part := range strings.Split(string(raw), "@") {
		if i%2 == 1 {
			found[part] = true
		}
	}
	return found
}

func TestPublicGraphIsAnAllowList(t *testing.T) {
	t.Parallel()
	var g graph.Graph
	fill(reflect.ValueOf(&g).Elem(), "g")
	g.Nodes[0].ID, g.Nodes[0].Kind = "id", "route" // where its layout is; a kind that makes ports
	got := shown(t, share.Public(g))
	allowed := []string{
		"g.Name", "g.Description", "g.Nodes.Key", "g.Nodes.In", "g.Nodes.Join.Mode", "port",
		"g.Edges.ID", "g.Edges.From", "g.Edges.Port", "g.Edges.To", "g.Layout.Nodes.Title", "g.Layout.Notes.Text",
	}
	for _, name := range allowed {
		if !got[name] {
			t.Errorf("%s does not show any more", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s gets public", name)
	}
}

func TestPublicBriefIsAnAllowList(t *testing.T) {
	t.Parallel()
	var b brief.Brief
	fill(reflect.ValueOf(&b).Elem(), "b")
	got := shown(t, share.PublicBrief(b))
	for _, name := range []string{"b.Type", "b.Node", "b.Port", "b.Ports", "b.Took", "b.Undoes.Node", "b.For", "b.Queue", "b.Trigger", "b.Error.Class"} {
		if !got[name] {
			t.Errorf("%s does not show any more", name)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s gets public", name)
	}
}
