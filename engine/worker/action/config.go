package action

import (
	"encoding/json"
	"errors"
	"fmt"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// readConfig reads the configuration of an attempt. The compiler has checked it
// and the engine has written it, so names stand there exactly and once: this
// reads it in a quarter of the general package's time, which is felt on every
// step. Its own errors change their words from build to build.
func readConfig(config json.RawMessage, into any) error {
	err := fast.Unmarshal(config, into, jsontext.AllowDuplicateNames(true))
	var wrong *fast.SemanticError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &wrong):
		return errors.New("it is not JSON")
	case wrong.JSONPointer == "":
		return errors.New("it is not an object")
	}
	return fmt.Errorf("%s cannot be %s", wrong.JSONPointer, kinds[wrong.JSONKind])
}

//nolint:gochecknoglobals // a table
var kinds = map[jsontext.Kind]string{
	jsontext.KindNull: "null", jsontext.KindFalse: "false", jsontext.KindTrue: "true",
	jsontext.KindString: "text", jsontext.KindNumber: "this number", jsontext.KindBeginObject: "an object", jsontext.KindBeginArray: "a list",
}
