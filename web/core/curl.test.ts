import assert from "node:assert/strict";
import { test } from "node:test";
import { isCurl, readCurl } from "./curl.ts";

const cases: readonly (readonly [string, string, unknown])[] = [
  [
    "an address alone is a GET",
    "curl https://api.example.com/orders?open=1",
    {
      method: "GET",
      url: "https://api.example.com/orders?open=1",
      auth: "none",
      body_type: "none",
      response: "json",
    },
  ],
  [
    "over several lines, as browsers copy it",
    `curl 'https://api.example.com/tickets' \\
  -H 'accept: application/json' \\
  -H 'content-type: application/json' \\
  --data-raw '{"subject":"It\\'"'"'s late","n":2}' --compressed`.replace("\\'\"'\"'", "'\\''"),
    {
      method: "POST",
      url: "https://api.example.com/tickets",
      headers: { accept: "application/json" },
      auth: "none",
      body_type: "json",
      body: { subject: "It's late", n: 2 },
      response: "json",
    },
  ],
  [
    "short options run together",
    'curl -sSL -XPUT "api.example.com/a b" -d name=Ada -d "age=36"',
    {
      method: "PUT",
      url: "http://api.example.com/a b",
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      auth: "none",
      body_type: "text",
      body: "name=Ada&age=36",
      response: "json",
    },
  ],
  [
    "-G makes data a query",
    "curl -G --data-urlencode 'q=a b' https://x.example/find",
    {
      method: "GET",
      url: "https://x.example/find",
      query: { q: "a b" },
      auth: "none",
      response: "json",
    },
  ],
  [
    "secrets stay out of the drawing",
    "curl -u me:word -H 'Authorization: Bearer abc' -H 'X-Trace: 1' https://x.example/v1/me",
    {
      method: "GET",
      url: "https://x.example/v1/me",
      headers: { "X-Trace": "1" },
      auth: "credential",
      body_type: "none",
      response: "json",
    },
  ],
  [
    "--json, and signs in a dollar quote",
    'curl --json $\'{"a":"x\\ty"}\' https://x.example/',
    {
      method: "POST",
      url: "https://x.example/",
      auth: "none",
      body_type: "text",
      body: '{"a":"x\ty"}',
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
      response: "json",
    },
  ],
];

for (const [name, command, config] of cases) {
  test(`cURL: ${name}`, () => {
    assert.ok(isCurl(command));
    assert.deepEqual(readCurl(command)?.config, config);
  });
}

test("cURL: the step is called by its address, and told when a secret was left out", () => {
  assert.equal(readCurl("curl https://api.example.com/v2/orders/17")?.title, "orders");
  assert.equal(readCurl("curl https://api.example.com")?.title, "api.example.com");
  assert.equal(readCurl("curl -b 'sid=1' https://x.example")?.secret, true);
  assert.equal(readCurl("curl -s"), undefined);
  assert.equal(isCurl("curling is a sport"), false);
});
