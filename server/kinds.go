package server

import (
	"slices"
	"strings"

	"signalbox/engine/gallery"
	"signalbox/engine/graph"
	"signalbox/engine/kind"
)

// texts visits every text of a kind that a person reads, with its key in the
// catalogue. The English ones stand in the kind itself.
func texts(spec *kind.Spec, visit func(key string, text *string)) {
	at := "kind." + spec.Name
	visit(at, &spec.Title)
	visit(at+".help", &spec.Help)
	visit(at+".subtitle", &spec.Subtitle)
	for i := range spec.Ports {
		visit(at+".port."+spec.Ports[i].Name, &spec.Ports[i].Title)
	}
	if spec.PortsOf != nil {
		visit(at+".port_label", &spec.PortsOf.Label)
	}
	schemaTexts(at, &spec.Config, visit)
}

func schemaTexts(at string, s *kind.Schema, visit func(key string, text *string)) {
	for i := range s.Properties {
		field, sub := at+"."+s.Properties[i].Name, &s.Properties[i].Schema
		visit(field, &sub.Title)
		visit(field+".help", &sub.Description)
		visit(field+".unit", &sub.Unit)
		visit(field+".example", &sub.Placeholder)
		for j := range sub.EnumTitles {
			visit(field+".is."+sub.Enum[j], &sub.EnumTitles[j])
		}
		schemaTexts(field, sub, visit)
	}
	if s.Items != nil {
		schemaTexts(at, s.Items, visit)
	}
}

// translate puts another language in the place of a text, where it has one:
// under the key itself, or under kind.any for what many kinds share.
func (s *Server) translate(lang string) func(key string, text *string) {
	return func(key string, text *string) {
		if s.pages.words.Has(lang, key) {
			*text = s.pages.words.T(lang, key)
			return
		}
		if _, rest, ok := strings.Cut(strings.TrimPrefix(key, "kind."), "."); ok && s.pages.words.Has(lang, "kind.any."+rest) {
			*text = s.pages.words.T(lang, "kind.any."+rest)
		}
	}
}

// kindsIn is the catalogue of kinds in one language.
func (s *Server) kindsIn(lang string) []kind.Spec {
	list := kind.All()
	for i := range list {
		texts(&list[i], s.translate(lang))
	}
	return list
}

// findKind finds kinds in one language.
func (s *Server) findKind(lang string) func(name string) (kind.Spec, bool) {
	return func(name string) (kind.Spec, bool) {
		spec, ok := kind.Find(name)
		if ok {
			texts(&spec, s.translate(lang))
		}
		return spec, ok
	}
}

// templateTexts visits every text of a template that a person reads.
func templateTexts(t *gallery.Template, visit func(key string, text *string)) {
	at := "template." + t.Name
	visit(at, &t.Title)
	visit(at+".about", &t.Description)
	t.Graph.Name, t.Graph.Description = t.Title, t.Description
	for id, n := range t.Graph.Layout.Nodes {
		visit(at+"."+id, &n.Title)
		visit(at+"."+id+".notes", &n.Notes)
		t.Graph.Layout.Nodes[id] = n
	}
	for id, n := range t.Graph.Layout.Notes {
		visit(at+"."+id, &n.Text)
		t.Graph.Layout.Notes[id] = n
	}
}

// templatesIn is the gallery in one language, as copies.
func (s *Server) templatesIn(lang string) []gallery.Template {
	list := slices.Clone(s.config.Gallery.All())
	for i := range list {
		list[i].Graph = list[i].Graph.Clone()
		templateTexts(&list[i], s.translate(lang))
	}
	return list
}

// templateIn finds a template in one language.
func (s *Server) templateIn(lang, name string) (graph.Graph, bool) {
	t, ok := s.config.Gallery.Find(name)
	if ok {
		templateTexts(&t, s.translate(lang))
	}
	return t.Graph, ok
}
