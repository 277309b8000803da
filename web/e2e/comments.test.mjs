// Two people talk about one drawing, live: a comment on a step, a reply, names,
// the bell, what becomes of it all when the step is deleted; and a review.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let ada;
let maya;
let address;
let workflow;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ada = await browser.page();
  await becomeOwner(ada.page, program);
  const made = await call("POST", "/api/invitations", { role: "operator", note: "Maya" });
  maya = await browser.page();
  await maya.page.goto(made.invitation.url);
  await maya.page.fill("#name", "Maya K");
  await maya.page.fill("#email", "maya@example.org");
  await maya.page.fill("#password", "a long enough password");
  await maya.page.click("[type=submit]");
  await maya.page.waitForURL(`${program.origin}/`);
  ({ id: workflow } = await call("POST", "/api/workflows", { template: "reminder" }));
  address = `${program.origin}/w/${workflow}`;
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const call = (method, path, body) =>
  ada.page.evaluate(
    async ([m, p, b]) => {
      const headers = { "Content-Type": "application/json" };
      const answer = await fetch(p, { method: m, headers, body: JSON.stringify(b) });
      return JSON.parse((await answer.text()) || "{}");
    },
    [method, path, body],
  );

const open = async ({ page }) => {
  await page.goto(address);
  await page.locator(".ed-rail [aria-label^='Comments']:not(:disabled)").waitFor();
  await page.locator(".tk-bell").waitFor();
};

test("a comment on a step, by keyboard, with a name from the list", async () => {
  await open(maya);
  await open(ada);
  const { page } = ada;
  await page.locator('.k-card[data-id="n_ask"]').focus();
  await page.keyboard.press("m");
  const field = page.getByRole("textbox", { name: "Comment on Set a reminder" });
  await field.waitFor();
  await page.keyboard.type("Is three days enough, @may");
  await page.locator(".tk-names li", { hasText: "Maya K" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.press("Enter");
  await page.keyboard.type("? See https://example.org/law.");
  await page.keyboard.press("Control+Enter");
  await page.locator(".tk-text a[href='https://example.org/law']").waitFor();
  assert.equal(await page.locator(".tk-name").textContent(), "@Maya K");
});

test("the other person sees it at once: the mark, the bell, and the thread", async () => {
  const { page } = maya;
  await page.locator(".tk-mark.new", { hasText: "1" }).waitFor();
  await page.locator(".bell .dotn", { hasText: "1" }).waitFor();
  await page.locator(".ed-rail .dotn.new").waitFor();
  await page.locator(".tk-bell button").first().click();
  await page.locator(".tk-bell .nudges", { hasText: "Ada named you" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.locator(".tk-bell .nudges li a").click();
  await page.locator(".tk-name.me").waitFor();
  await page.locator(".bell .dotn").waitFor({ state: "detached" });
  await page.locator(".ed-rail .dotn.new").waitFor({ state: "detached" });
  await page.getByRole("textbox", { name: "Reply" }).fill("Four would be better.");
  await page.keyboard.press("Control+Enter");
  await ada.page.locator(".tk-text", { hasText: "Four would be better." }).waitFor();
  // Ada has it open: it is read, and the mark counts it.
  await ada.page.locator(".tk-mark:not(.new)", { hasText: "2" }).waitFor();
});

test("one's own is changed and deleted; what others said is not", async () => {
  const { page } = maya;
  const own = page.locator(".tk-thread li", { hasText: "Four would" });
  assert.equal(await page.locator(".tk-thread li", { hasText: "Is three" }).getByLabel("Edit").count(), 0);
  await own.hover();
  await own.getByLabel("Edit").click();
  await page.getByRole("textbox", { name: "Edit your comment" }).fill("Five would be better.");
  await page.keyboard.press("Control+Enter");
  await ada.page.locator(".tk-thread li", { hasText: "Five would be better." }).getByText("edited").waitFor();
  const mine = page.locator(".tk-thread li", { hasText: "Five would" });
  await mine.hover();
  await mine.getByLabel("Delete").click();
  await page.locator(".tk-sure .dng").click();
  await ada.page.locator(".tk-back").waitFor();
});

test("a thread is resolved and opened again, for both", async () => {
  await ada.page.getByRole("button", { name: "Resolve" }).click();
  await maya.page.locator(".tk-done", { hasText: "Ada resolved this" }).waitFor();
  await maya.page.locator(".tk-mark").waitFor({ state: "detached" });
  await maya.page.getByRole("button", { name: "Open again" }).click();
  await ada.page.locator(".tk-done").waitFor({ state: "detached" });
  await ada.page.locator(".tk-mark").waitFor();
});

test("a comment outlives its step", async () => {
  const { page } = ada;
  const { seq } = await call("GET", `/api/workflows/${workflow}/draft`);
  await call("POST", `/api/workflows/${workflow}/ops`, { batch: crypto.randomUUID(), base: seq, ops: [{ op: "node.del", id: "n_ask" }] });
  await page.locator(".tk-head h3", { hasText: "Set a reminder: its step was deleted" }).waitFor();
  assert.equal(await page.locator(".tk-mark").count(), 0);
  await page.getByLabel("Back to all comments").click();
  await page.locator(".tk-list button", { hasText: "its step was deleted" }).waitFor();
  assert.deepEqual(await axe(page), []);
});

test("the bell is on the gallery too, and a share link shows nothing of it", async () => {
  const { page } = maya;
  await page.goto("about:blank"); // nobody looks at the thread
  const { threads } = await call("GET", `/api/workflows/${workflow}/threads`);
  const { members } = await call("GET", "/api/members");
  const mentions = members.filter((m) => m.name === "Maya K").map((m) => m.id);
  await call("POST", `/api/threads/${threads[0].id}/comments`, { text: "Anybody there, @Maya K?", mentions });
  await page.goto(`${program.origin}/`);
  await page.locator("#bell .dotn", { hasText: "1" }).waitFor();
  await page.locator("#bell summary").click();
  await page.locator("#bell li a", { hasText: "Anybody there" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.goto(`${program.origin}/inbox`);
  await page.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByRole("button", { name: "Mark all as read" }).waitFor({ state: "detached" });
  assert.deepEqual(await axe(page), []);
  await page.locator("#lists li a").first().click();
  await page.locator(".tk-text", { hasText: "Anybody there" }).waitFor();
  const { share } = await call("POST", "/api/shares", { target: "workflow", id: workflow });
  const guest = await browser.page();
  await guest.page.goto(share.url);
  await guest.page.locator("h1").first().waitFor();
  assert.ok(!(await guest.page.content()).includes("Anybody"));
  assert.equal(await guest.page.locator(".tk-mark, .bell").count(), 0);
  for (const { faults } of [ada, maya, guest]) assert.deepEqual(faults, []);
});

test("a draft is published after somebody else has approved exactly it", async () => {
  const { members } = await call("GET", "/api/members");
  await call("PATCH", `/api/members/${members.find((m) => m.name === "Maya K").id}`, { role: "editor" });
  await ada.page.goto(`${program.origin}/settings/members`);
  const kept = ada.page.waitForResponse((r) => r.url().endsWith("/api/workspace"));
  await ada.page.getByLabel("Whether publishing needs a review").selectOption("required");
  assert.equal((await kept).status(), 200);
  ({ id: workflow } = await call("POST", "/api/workflows", { template: "reminder" }));
  address = `${program.origin}/w/${workflow}`;
  await open(ada);
  await ada.page.click(".ed-publish");
  await ada.page.getByText("In this workspace somebody else approves").waitFor();
  assert.deepEqual(await axe(ada.page), []);
  await ada.page.getByLabel("Maya K").check();
  await ada.page.getByLabel("What it is about").fill("The first version.");
  await ada.page.getByRole("button", { name: "Ask", exact: true }).click();
  await ada.page.locator(".ed-banner", { hasText: "Waiting for Maya K" }).waitFor();
  // The reviewer comes from the bell, sees what would change, and approves.
  await maya.page.goto(`${program.origin}/`);
  await maya.page.locator("#bell summary").click();
  await maya.page.locator("#bell li a", { hasText: "Ada asks for your review" }).click();
  await maya.page.locator(".tk-review", { hasText: "The first version." }).waitFor();
  await maya.page.locator(".k-card.mark-added").first().waitFor();
  assert.deepEqual(await axe(maya.page), []);
  await maya.page.getByRole("button", { name: "Approve" }).click();
  await ada.page.locator(".ed-banner", { hasText: "Maya K approved this draft" }).waitFor();
  // An edit makes it stale, for both, at once.
  await call("POST", `/api/workflows/${workflow}/ops`, { batch: crypto.randomUUID(), base: 0, ops: [{ op: "graph.set", path: "/description", value: "x" }] });
  await ada.page.locator(".ed-banner", { hasText: "was changed since then" }).waitFor();
  await maya.page.locator(".tk-review", { hasText: "was changed while you looked" }).waitFor();
  assert.ok(await maya.page.getByRole("button", { name: "Approve" }).isDisabled());
  await maya.page.getByRole("link", { name: "Show the newest" }).click();
  await maya.page.locator(".tk-review button.pri:not(:disabled)").click();
  await ada.page.locator(".ed-banner.ok").waitFor();
  await ada.page.click(".ed-publish");
  await ada.page.locator("dialog .btn.pri", { hasText: "Publish v1" }).click();
  await ada.page.locator(".ed-banner.ok").waitFor({ state: "detached" });
  await ada.page.goto(`${address}/versions`);
  await ada.page.getByText("Approved by Maya K").waitFor();
  assert.deepEqual(await axe(ada.page), []);
  for (const { faults } of [ada, maya]) assert.deepEqual(faults, []);
});
