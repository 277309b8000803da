package exchange

import (
	"slices"
	"strings"
)

// requestShape is what an answer is here: n8n hands on its body, unless told
// to give the whole.
func requestShape(p params) shape {
	whole := p.at("options", "response", "response", "fullResponse").yes() || p.at("options", "fullResponse").yes()
	if whole {
		return shape{alias: map[string]string{"statusCode": "status"}}
	}
	s := shape{prefix: ".body"}
	if textWanted(p) {
		s.alias = map[string]string{p.at("options", "response", "response", "outputPropertyName").or("data"): ""}
	}
	return s
}

func textWanted(p params) bool {
	return p.at("options", "response", "response", "responseFormat").text() == "text" || p.at("responseFormat").text() == "string"
}

func (r *reader) request(p params) map[string]any {
	r.became("http", "success")
	config := map[string]any{"method": strings.ToUpper(p.at("method").or(p.at("requestMethod").or("GET"))), "url": r.text(p.at("url").text())}
	if !slices.Contains([]string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"}, config["method"].(string)) {
		r.p.lack("The method “%s” is not sent here: it is GET now.", clipText(config["method"].(string), 20))
		config["method"] = "GET"
	}
	query := r.pairs(p.at("sendQuery"), p.at("specifyQuery"), p.at("jsonQuery"), p.at("queryParameters", "parameters"), p.at("queryParametersUi", "parameter"))
	headers := r.pairs(p.at("sendHeaders"), p.at("specifyHeaders"), p.at("jsonHeaders"), p.at("headerParameters", "parameters"), p.at("headerParametersUi", "parameter"))
	if o, ok := query.(map[string]any); ok && len(o) > 0 {
		config["query"] = o
	}
	if o, ok := headers.(map[string]any); ok && len(o) > 0 {
		config["headers"] = r.withoutSecrets(o)
	}
	if p.at("authentication").or("none") != "none" || len(r.p.Credentials) > 0 {
		config["auth"] = "credential"
		if name := r.credential(); name != "" {
			config["credential"] = name
		} else {
			r.p.near("It needs a credential: choose one.")
		}
	}
	r.content(p, config)
	if textWanted(p) {
		config["response"] = "text"
	}
	r.unsent(p)
	return config
}

// pairs reads names and values in the forms of the versions.
func (r *reader) pairs(sent, how, asJSON params, lists ...params) any {
	if sent.there() && !sent.yes() {
		return nil
	}
	if how.text() == "json" {
		return r.jsonText(asJSON)
	}
	out := map[string]any{}
	for _, list := range lists {
		for _, one := range list.list() {
			if name := one.at("name").text(); name != "" {
				out[name] = r.value(one.at("value").v)
			}
		}
	}
	return out
}

// withoutSecrets leaves out what is a secret by its name: it belongs into a
// credential.
func (r *reader) withoutSecrets(headers map[string]any) map[string]any {
	out := map[string]any{}
	for name, v := range headers {
		switch strings.ToLower(name) {
		case "authorization", "x-api-key", "api-key", "cookie", "proxy-authorization":
			r.p.near("The header “%s” is left out: store its value as a credential.", clipText(name, 60))
		default:
			out[name] = v
		}
	}
	return out
}

// content reads what is sent.
func (r *reader) content(p params, config map[string]any) {
	older := p.at("requestMethod").there() || r.p.version() < 3
	if !older && !p.at("sendBody").yes() {
		return
	}
	var sent any
	switch {
	case older && (p.at("jsonParameters").yes() || p.at("bodyParametersJson").there()):
		sent = r.jsonText(p.at("bodyParametersJson"))
	case p.at("contentType").or("json") == "raw":
		config["body_type"], config["body"] = "text", r.text(p.at("body").text())
		return
	case p.at("contentType").text() == "binaryData", p.at("contentType").text() == "multipart-form-data":
		r.p.lack("Files are not sent here; the content is left out.")
		return
	default:
		if p.at("contentType").text() == "form-urlencoded" {
			r.p.near("Its content is sent as JSON here, not as a form.")
		}
		sent = r.pairs(params{}, p.at("specifyBody"), p.at("jsonBody"), p.at("bodyParameters", "parameters"), p.at("bodyParametersUi", "parameter"))
	}
	if o, ok := sent.(map[string]any); sent == nil || ok && len(o) == 0 && older {
		return
	}
	config["body_type"], config["body"] = "json", sent
}

// unsent reports the options that nothing here does.
func (r *reader) unsent(p params) {
	words := map[string]string{
		"pagination": "it asks for one page", "batching": "it sends at once", "proxy": "it goes no other way", "allowUnauthorizedCerts": "certificates are always checked",
	}
	for _, name := range []string{"allowUnauthorizedCerts", "batching", "pagination", "proxy"} {
		if p.at("options", name).there() {
			r.p.lack("The option “%s” means nothing here: %s.", name, words[name])
		}
	}
	if p.at("options", "timeout").there() {
		r.p.near("Its limit of time is the step's own here: set it in the step.")
	}
}
