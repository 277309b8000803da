package server

import (
	"net/http"
)

// Assets serves the built files and knows their hashed names.
type Assets interface {
	http.Handler
	// URL is the address of a built file, for example "editor.js".
	URL(name string) string
	// Preload lists the addresses that a script imports at once.
	Preload(name string) []string
}
