package picture

import (
	"slices"
	"strings"
	"testing"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"one two three four five": {"one two", "three four", "five"},
		"一个出口有三条连线，三个分支同时运行。":     {"一个出口有三", "条连线，三个", "分支同时运", "行。"},
		"用 Webhook 启动":            {"用 Webhook", "启动"},
		"a\nb":                    {"a", "b"},
		"":                        {""},
	} {
		if got := wrap(text, 12, 80); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
	for _, line := range wrap(strings.Repeat("汇合需要它们全部到达。", 20), 12, 120) {
		if w := width(line, 12); w > 120+12 {
			t.Errorf("%q is %v wide", line, w)
		}
		if strings.ContainsAny(line[:3], "。，") && strings.HasPrefix(line, "。") {
			t.Errorf("%q begins with a closing mark", line)
		}
	}
}
