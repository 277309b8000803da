package action

import (
	"encoding/json"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readConfig reads the configuration of an attempt. The compiler has checked it and
// the engine has written it, so names stand there exactly and once: this reads
// it in a quarter of the general package's time, which is felt on every step.
func readConfig(config json.RawMessage, into any) error {
	return fast.Unmarshal(config, into, jsontext.AllowDuplicateNames(true)) //nolint:wrapcheck // the caller says what it was
}
