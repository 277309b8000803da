import assert from "node:assert/strict";
import { test } from "node:test";
import { fitting, mentioned, namingAt, partsOf, withName } from "./said.ts";

const flat = (text: string, names: readonly string[] = []) =>
  partsOf(text, names).map((p) => (p.is === "text" ? p.text : `<${p.is} ${p.text}>`));

test("addresses of the web become links, without what closes the sentence", () => {
  for (const [text, want] of [
    ["see https://a.example/x.", ["see ", "<link https://a.example/x>", "."]],
    ["(http://a.example/b?c=1&d=2)", ["(", "<link http://a.example/b?c=1&d=2>", ")"]],
    ["https://a.example/x_(y)", ["<link https://a.example/x_(y)>"]],
    ["(https://a.example/x_(y)), no", ["(", "<link https://a.example/x_(y)>", "), no"]],
    ["看 https://a.example/页。好", ["看 ", "<link https://a.example/页。好>"]],
    ["no link", ["no link"]],
    ["", []],
  ] as const)
    assert.deepEqual(flat(text), want, text);
});

test("nothing else is ever a link", () => {
  for (const text of [
    "javascript:alert(1)",
    "data:text/html,<b>",
    "<a href='x'>y</a>",
    "https://",
    "https://bank.example@evil.example/",
    "ftp://a.example",
    "//a.example",
  ])
    assert.ok(
      partsOf(text, []).every((p) => p.is !== "link"),
      text,
    );
  const inside = partsOf('https://a.example/"onclick="x', []);
  assert.deepEqual(inside[0], {
    is: "link",
    text: "https://a.example/",
    href: "https://a.example/",
  });
});

test("the text is whole when its pieces are put together", () => {
  const names = ["Jo", "Jo Ann", "张伟"];
  for (const text of [
    "@Jo Ann and @Jo, @张伟看 https://x.example/@Jo @Nobody",
    "@@Jo",
    "a@Jo",
    "@",
  ])
    assert.equal(
      partsOf(text, names)
        .map((p) => p.text)
        .join(""),
      text,
    );
  assert.deepEqual(flat("@Jo Ann and @Jo", names), ["<name @Jo Ann>", " and ", "<name @Jo>"]);
  assert.deepEqual(flat("@Nobody", names), ["@Nobody"]);
});

test("a name begins with @ and ends at the caret", () => {
  const at = (text: string) => namingAt(text.replace("|", ""), text.indexOf("|"));
  assert.deepEqual(at("hi @ma|"), { from: 3, query: "ma" });
  assert.deepEqual(at("@|"), { from: 0, query: "" });
  assert.deepEqual(at("@Maya K|"), { from: 0, query: "Maya K" });
  assert.deepEqual(at("请@张|"), { from: 1, query: "张" });
  for (const none of [
    "hi|",
    "mail ada@example|",
    "@ |",
    "@a\nb|",
    "@a  b|",
    `@${"x".repeat(60)}|`,
    "|@ma",
  ])
    assert.equal(at(none), undefined, none);
});

test("who fits comes first by the whole name, then by a part", () => {
  const people = ["Ada Maki", "Maya K", "Jo", "maria"].map((name) => ({ id: name, name }));
  assert.deepEqual(
    fitting(people, "ma").map((p) => p.name),
    ["Maya K", "maria", "Ada Maki"],
  );
  assert.equal(fitting(people, "").length, 4);
  assert.equal(fitting(people, "zz").length, 0);
});

test("a chosen name is put in, and counts while it stands in the text", () => {
  const text = "hi @ma there";
  const naming = namingAt(text, 6);
  assert.ok(naming);
  const put = withName(text, naming, 6, "Maya K");
  assert.deepEqual(put, { text: "hi @Maya K there", caret: 11 });
  const chosen = new Map([
    ["1", "Maya K"],
    ["2", "Jo"],
  ]);
  assert.deepEqual(mentioned(put.text, chosen), ["1"]);
});
