package exchange

import "strings"

// openAI reads the node that asks a model by itself.
func (r *reader) openAI(p params) map[string]any {
	if r.p.into != nil {
		return r.other(p)
	}
	if op := p.at("operation").or("message"); op != "message" && op != "complete" && op != "response" || p.at("resource").or("text") != "text" && p.at("resource").text() != "chat" {
		return r.other(p)
	}
	messages := []map[string]any{}
	for _, list := range []params{p.at("messages", "values"), p.at("prompt", "messages"), p.at("responses", "values")} {
		for _, m := range list.list() {
			messages = append(messages, r.message(m.at("role").or("user"), m.at("content")))
		}
	}
	if len(messages) == 0 {
		messages = append(messages, r.message("user", p.at("prompt")))
	}
	return r.model(p.at("modelId").or(p.at("model").or(p.at("chatModel").text())), messages, p.at("options"))
}

func (r *reader) message(role string, content params) map[string]any {
	if role != "system" && role != "assistant" {
		role = "user"
	}
	return map[string]any{"role": role, "content": r.text(content.text())}
}

// chain reads a chain or an agent, with the model that is linked to it.
func (r *reader) chain(p params) map[string]any {
	messages := []map[string]any{}
	for _, system := range []params{p.at("options", "systemMessage"), p.at("messages", "messageValues")} {
		for _, m := range system.list() {
			messages = append(messages, r.message("system", m.at("message")))
		}
		if s := system.text(); s != "" {
			messages = append(messages, r.message("system", system))
		}
	}
	text := p.at("text")
	if !text.there() || p.at("promptType").text() == "auto" {
		text = params{"={{ $json.chatInput }}"}
	}
	messages = append(messages, r.message("user", text))
	model, options := "", params{}
	for sort, name := range r.p.links {
		linked := r.im.byName[name]
		switch sort {
		case "ai_languageModel":
			model, options = linked.p.at("model").or(linked.p.at("modelName").text()), linked.p.at("options")
		case "ai_tool":
			r.p.lack("A model calls no tools here: draw the steps that they do.")
		case "ai_memory":
			r.p.lack("A model remembers nothing here: hand in what was said.")
		case "ai_outputParser":
			r.p.near("Say in “Answer must fit” what form the answer has.")
		}
	}
	return r.model(model, messages, options)
}

// model makes the step that asks a model.
func (r *reader) model(name string, messages []map[string]any, options params) map[string]any {
	r.became("llm", "success")
	config := map[string]any{"base_url": "https://api.openai.com/v1", "model": "gpt-4o-mini", "messages": messages}
	if name != "" && !strings.HasPrefix(name, "=") {
		config["model"] = clipText(name, 200)
	}
	if t := options.at("temperature"); t.there() {
		config["temperature"] = min(max(t.number(1), 0), 2)
	}
	if t := options.at("maxTokens"); t.there() && t.number(0) >= 1 {
		config["max_tokens"] = int(min(t.number(1), 200_000))
	}
	if c := r.modelCredential(); c != "" {
		config["credential"] = c
	}
	r.p.near("It asks a model by the protocol of OpenAI: check the address and the model.")
	return config
}

// modelCredential is the node's own or that of the model linked to it.
func (r *reader) modelCredential() string {
	if c := r.credential(); c != "" {
		return c
	}
	if linked := r.im.byName[r.p.links["ai_languageModel"]]; linked != nil {
		inner := reader{im: r.im, p: linked}
		return inner.credential()
	}
	return ""
}
