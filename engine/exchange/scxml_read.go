package exchange

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"

	"signalbox/engine/chart"
	"signalbox/engine/problem"
)

// Limits of an SCXML document.
const (
	scxmlElementsMax = 20_000
	scxmlDepthMax    = 3 * chart.DepthMax
)

// xmlNode is an element as it was read.
type xmlNode struct {
	name   string
	attrs  map[string]string
	ours   map[string]string // attributes of our namespace
	kids   []*xmlNode
	text   strings.Builder
	parent *xmlNode
}

// readXML reads a document into elements. Entities of its own are refused by
// the reader, so that a small text never becomes a large one.
func readXML(raw []byte) (*xmlNode, error) {
	dec := xml.NewDecoder(bytes.NewReader(raw))
	root := &xmlNode{}
	at, depth, count := root, 0, 0
	for {
		tok, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, problem.New(problem.Invalid, "This XML cannot be read: it is not well formed.").At("", clipText(err.Error(), 200), "a document that is well formed")
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			if depth, count = depth+1, count+1; depth > scxmlDepthMax || count > scxmlElementsMax {
				return nil, problem.New(problem.TooLarge, "An SCXML document may have %d elements, %d deep.", scxmlElementsMax, scxmlDepthMax)
			}
			n := &xmlNode{name: tok.Name.Local, attrs: map[string]string{}, ours: map[string]string{}, parent: at}
			if tok.Name.Space == ourSpace {
				n.name = "sb:" + n.name
			}
			for _, a := range tok.Attr {
				if a.Name.Space == ourSpace {
					n.ours[a.Name.Local] = a.Value
				} else {
					n.attrs[a.Name.Local] = a.Value
				}
			}
			at.kids = append(at.kids, n)
			at = n
		case xml.EndElement:
			at, depth = at.parent, depth-1
		case xml.CharData:
			at.text.Write(tok)
		}
	}
	if len(root.kids) != 1 || root.kids[0].name != "scxml" {
		return nil, problem.New(problem.Invalid, "This XML is no SCXML document: its first element is not scxml.").At("", "another document", "<scxml …>")
	}
	return root.kids[0], nil
}

func (n *xmlNode) all(names ...string) []*xmlNode {
	var out []*xmlNode
	for _, k := range n.kids {
		for _, name := range names {
			if k.name == name {
				out = append(out, k)
			}
		}
	}
	return out
}

func (n *xmlNode) first(name string) *xmlNode {
	if list := n.all(name); len(list) > 0 {
		return list[0]
	}
	return nil
}
