package action

import (
	"errors"

	"signalbox/engine/worker/shape"
)

// fit reads a model's answer as JSON and checks it.
func fit(s *shape.Shape, out *llmOutput) error {
	if s == nil {
		return nil
	}
	text := unfenced(out.Text)
	switch err := s.Fault([]byte(text)); {
	case errors.Is(err, shape.ErrNotJSON) && out.FinishReason == "length":
		return errors.New("it was cut off at the longest length")
	case err != nil:
		return err //nolint:wrapcheck // part of a sentence
	}
	out.JSON = value("json", []byte(text))
	return nil
}
