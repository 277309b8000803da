package kind

import "encoding/json"

// Defaults returns the configuration with the schema's defaults filled in
// where a field is absent, names sorted. A version stores this, so that a later
// change of a default changes no version that is out.
func (s Spec) Defaults(config json.RawMessage) json.RawMessage {
	fields := map[string]json.RawMessage{}
	if len(config) > 0 && json.Unmarshal(config, &fields) != nil {
		return config
	}
	if fields == nil { // the configuration is null
		fields = map[string]json.RawMessage{}
	}
	for _, p := range s.Config.Properties {
		if _, there := fields[p.Name]; !there && len(p.Schema.Default) > 0 {
			fields[p.Name] = p.Schema.Default
		}
	}
	raw, err := json.Marshal(fields) // sorts names
	if err != nil {
		return config
	}
	return raw
}
