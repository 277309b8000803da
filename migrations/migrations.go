// Package migrations holds the database's schema as numbered SQL files, named
// by UTC timestamp and applied in order.
package migrations

import "embed"

// Files are the migrations.
//
//go:embed *.sql
var Files embed.FS
