import assert from "node:assert/strict";
import { test } from "node:test";
import { fitted } from "./fit-title.ts";

const card = { w: 174, h: 56 };
const at = (text: string, z: number) => fitted(text, card.w, card.h, z);

test("a title of some words is whole at the zoom at which a large drawing fits", () => {
  for (const z of [0.44, 0.36, 0.3, 0.26]) {
    for (const text of ["Reserve the goods", "Charge the card", "Tell the customer", "Support"]) {
      const { lines, size } = at(text, z);
      assert.equal(lines.join(" "), text, `${text} at ${z}`);
      assert.ok(size * z >= 6, `${text} at ${z} measures ${size * z} px`);
    }
  }
});

test("nearer, letters keep the size that they have on cards", () => {
  assert.ok(at("Wait", 0.44).size >= 17);
  assert.ok(at("Wait", 0.44).size * 0.44 >= 9);
});

test("what has no room ends with a sign", () => {
  const { lines } = at("Compare the incoming invoice with the purchase orders of last year", 0.25);
  assert.ok(lines.at(-1)?.endsWith("…"));
  assert.ok(lines.length <= 2);
  const one = at("Donaudampfschifffahrtsgesellschaft", 0.25).lines;
  assert.ok(one.length === 1 && one[0]?.endsWith("…"));
});

test("Chinese breaks between signs", () => {
  assert.equal(
    at("\u5ba2\u6237\u8ba2\u5355\u5904\u7406\u6d41\u7a0b\u5f00\u59cb", 0.4).lines.join(""),
    "\u5ba2\u6237\u8ba2\u5355\u5904\u7406\u6d41\u7a0b\u5f00\u59cb",
  );
});
