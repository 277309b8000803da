package server_test

import (
	"signalbox/engine/pg"
	"signalbox/engine/runtime"
	"signalbox/engine/watch"
	"signalbox/server"
)

// What the program is built of fits.
var (
	_ server.Engine  = (*runtime.Engine)(nil)
	_ server.Traces  = (*watch.Board)(nil)
	_ server.Events  = (*pg.History)(nil)
	_ server.History = (*pg.History)(nil)
)
