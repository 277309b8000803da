import assert from "node:assert/strict";
import { test } from "node:test";
import { said, setSentences } from "./sentence.ts";

setSentences({
  "{a} Expected: {b}": "{a}应为：{b}",
  "“{a}” is missing.": "缺少“{a}”。",
  "“{a}” is missing before “{b}”.": "“{b}”之前缺少“{a}”。",
  "at least {a}": "至少 {a}",
  "This {{ has no }}.": "这个 {{ 没有对应的 }}。",
  Routes: "路由规则",
});

// The same cases as TestSay of web/strings.
test("a sentence is found by its fixed words, and what it is filled with too", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["“Routes” is missing.", "缺少“路由规则”。"],
    ["“Routes” is missing. Expected: at least 1", "缺少“路由规则”。应为：至少 1"],
    ["“)” is missing before “x”.", "“x”之前缺少“)”。"],
    ["“a\nb” is missing.", "缺少“a\nb”。"],
    ["This {{ has no }}.", "这个 {{ 没有对应的 }}。"],
    ["Nobody translated this.", "Nobody translated this."],
    ["“{b}” is missing before “{a}”.", "“{a}”之前缺少“{b}”。"],
    ["constructor", "constructor"],
  ];
  for (const [english, want] of cases) assert.equal(said(english), want);
});
