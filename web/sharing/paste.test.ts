import assert from "node:assert/strict";
import { test } from "node:test";
import { frame, markdown } from "./paste.ts";

test("a badge leads to the link, whatever the name", () => {
  assert.equal(
    markdown("A [b] \\", "https://x.example/p/a", "/badge.svg"),
    "[![A \\[b\\] \\\\](https://x.example/p/a/badge.svg)](https://x.example/p/a)",
  );
});

test("a frame shows the embedded page and keeps its title a text", () => {
  assert.equal(
    frame('"><script>', "https://x.example/s/ABC"),
    '<iframe src="https://x.example/embed/ABC" title="&quot;>&lt;script>" width="100%" height="420"></iframe>',
  );
});
