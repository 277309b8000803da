// Package poster makes pictures that stand alone: a drawing as an SVG file, a
// preview image of 1200 by 630 pixels for other sites, a badge for a README.
//
// It reads the drawings of package picture, whose colors come from classes,
// and puts the colors in: such a file has no style sheet beside it, and a
// strict content policy would not let it bring one. Everything in it comes
// from the drawing that it is given; it adds no data.
//
// It is pure. Its fonts and icons are part of the program.
package poster

import (
	"embed"
	"encoding/json"
	"fmt"

	"golang.org/x/image/font/sfnt"
)

//go:embed fonts/*.ttf icons.json
var files embed.FS

// Painter has the fonts and icons at hand. It may be used from several
// goroutines.
type Painter struct {
	ui, bold, mono, brand *sfnt.Font
	icons                 map[string][]string // paths of 24 by 24, by name
}

// New reads the fonts and icons.
func New() (*Painter, error) {
	p := &Painter{}
	for name, font := range map[string]**sfnt.Font{
		"inter-400": &p.ui, "inter-600": &p.bold, "jetbrains-mono-400": &p.mono, "schibsted-grotesk-700": &p.brand,
	} {
		raw, err := files.ReadFile("fonts/" + name + ".ttf")
		if err != nil {
			return nil, fmt.Errorf("read the font %s: %w", name, err)
		}
		if *font, err = sfnt.Parse(raw); err != nil {
			return nil, fmt.Errorf("read the font %s: %w", name, err)
		}
	}
	raw, err := files.ReadFile("icons.json")
	if err != nil {
		return nil, fmt.Errorf("read the icons: %w", err)
	}
	if err := json.Unmarshal(raw, &p.icons); err != nil {
		return nil, fmt.Errorf("read the icons: %w", err)
	}
	return p, nil
}

// IconAt is how a drawing for this package names an icon: picture.Options.Icon.
func IconAt(name string) string { return "#" + name }

// Has reports whether there is an icon.
func (p *Painter) Has(name string) bool { return len(p.icons[name]) > 0 }
