// Pages around the canvas: two languages, the first steps, the palette,
// members and the audit log.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axe, becomeOwner, says, startBrowser, startProgram } from "./program.mjs";

let program;
let browser;
let page;
let faults;

before(async () => {
  program = await startProgram();
  browser = await startBrowser();
  ({ page, faults } = await browser.page());
  await becomeOwner(page, program);
});

after(async () => {
  await browser?.close();
  assert.equal(await program?.stop(), 0, "the program stops cleanly");
});

const get = (path) => page.evaluate(async (p) => (await fetch(p)).json(), path);

/** Whatever is wider than the window makes the page scroll sideways. */
const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);

test("the first steps come once, by keyboard, and are remembered", async () => {
  const { workflows } = await get("/api/workflows");
  const address = `${program.origin}/w/${workflows[0].id}`;
  await page.goto(address);
  const tour = page.locator(".tour");
  await tour.waitFor();
  await says(tour.locator("h2"), /^This is a workflow$/);
  await tour.getByRole("button", { name: "Next" }).focus();
  await page.keyboard.press("Enter");
  await says(tour.locator("h2"), /^Look inside a step$/);
  await page.keyboard.press("ArrowRight");
  await says(tour.locator("h2"), /^Watch it run$/);
  assert.deepEqual(await axe(page), []);
  const kept = page.waitForResponse((r) => r.url().endsWith("/api/me") && r.request().method() === "PATCH");
  await page.keyboard.press("Escape");
  assert.equal((await kept).status(), 204);
  await page.goto(address);
  await page.locator(".ed-test:not(:disabled)").waitFor();
  assert.equal(await page.locator(".tour").count(), 0);
});

test("the palette goes to a page and to a workflow", async () => {
  await page.goto(`${program.origin}/runs`);
  await page.keyboard.press("Control+k");
  await page.locator(".palette[open] li", { hasText: "Support ticket triage" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.keyboard.type("settings");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${program.origin}/settings`);
});

test("somebody is invited, joins, gets another role and is removed", async () => {
  await page.goto(`${program.origin}/settings/members`);
  await page.click("[data-open=invite]");
  await page.fill("#i-note", "Maya");
  await page.click("#invite [type=submit]");
  const link = page.locator("#once-value");
  await link.waitFor();
  const address = await link.inputValue();
  assert.match(address, /\/join\/[A-Z0-9]+$/);
  const other = await browser.page();
  await other.page.goto(address);
  await other.page.fill("#name", "Maya");
  await other.page.fill("#email", "maya@example.org");
  await other.page.fill("#password", "a long enough password");
  assert.deepEqual(await axe(other.page), []);
  await other.page.click("[type=submit]");
  await other.page.waitForURL(`${program.origin}/`);
  await page.reload();
  const role = page.locator("#members select[data-patch]");
  const changed = page.waitForResponse((r) => r.request().method() === "PATCH");
  await role.selectOption("viewer");
  assert.equal((await changed).status(), 200);
  await other.page.goto(`${program.origin}/`);
  await other.page.getByText("You can look at everything here").waitFor();
  assert.equal(await other.page.locator("[data-new]").count(), 0);
  await other.page.locator(".wf-link").first().click();
  await other.page.locator(".ed-banner", { hasText: "You can look at this workflow" }).waitFor();
  assert.ok(await other.page.locator(".ed-publish").isDisabled());
  assert.deepEqual(await axe(page), []);
  await page.locator("#lists [data-delete^='/api/members/']").click();
  await page.locator("dialog[open] .dng").click();
  await role.waitFor({ state: "detached" });
  await other.page.goto(`${program.origin}/`);
  assert.match(other.page.url(), /\/login/);
  assert.deepEqual(other.faults, []);
});

test("? lists the keys while a run is watched", async () => {
  await page.goto(`${program.origin}/`);
  await page.locator("[data-try=reminder]").click();
  await page.waitForURL(/\/runs\//);
  await page.locator(".run-stage, .stage").first().waitFor();
  await page.keyboard.press("?");
  await page.locator("dialog#keys[open]").waitFor();
  await page.keyboard.press("Escape");
});

test("a workflow gets tags in the gallery, and is found by them", async () => {
  await page.goto(`${program.origin}/`);
  await page.locator(".wf details.drop summary").first().click();
  await page.locator("[data-open=tags]").first().click();
  await page.fill("#tags-f", "sales, urgent");
  await page.click("#tags [type=submit]");
  await page.locator(".wf .chip", { hasText: "urgent" }).waitFor();
  await page.reload();
  await page.locator(".filter", { hasText: "urgent" }).click();
  await page.waitForURL(`${program.origin}/?tag=urgent`);
  assert.equal(await page.locator(".wf:not(.tpl)").count(), 1);
  assert.deepEqual(await axe(page), []);
});

test("the audit log has it all, and its chain is whole", async () => {
  await page.goto(`${program.origin}/settings/audit`);
  for (const words of ["Invited somebody", "Joined", "Changed a role", "Removed a member"]) {
    assert.ok(await page.locator("td", { hasText: words }).first().isVisible(), words);
  }
  assert.deepEqual(await axe(page), []);
  await page.getByRole("link", { name: "Check the chain" }).click();
  await page.getByText("the chain is whole").waitFor();
});

test("a workspace is deleted after its name was typed", async () => {
  await page.goto(`${program.origin}/settings/workspaces`);
  await page.getByRole("button", { name: "New workspace" }).click();
  await page.locator("#ws-name").fill("Laboratory");
  await page.keyboard.press("Enter");
  await page.locator("#lists li", { hasText: "Laboratory" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Delete Laboratory" }).click();
  const field = page.getByLabel("Type Laboratory to confirm");
  await field.fill("Lab");
  await page.keyboard.press("Enter");
  await page.getByText("This is not the name of the workspace.").waitFor();
  assert.deepEqual(await axe(page), []);
  await field.fill("Laboratory");
  await page.keyboard.press("Enter");
  await page.locator("#lists li", { hasText: "Laboratory" }).waitFor({ state: "detached" });
  assert.match(await page.locator("#lists li").innerText(), /Rename/);
});

test("Chinese everywhere, chosen in the menu, without a word cut off", async () => {
  await page.goto(`${program.origin}/settings`);
  await page.click(".av-button");
  await page.locator(".menu [lang='zh-CN']").click();
  await page.waitForURL(`${program.origin}/settings`);
  const { workflows } = await get("/api/workflows");
  const paths = ["/", "/runs", "/settings", "/settings/members", "/settings/audit", "/help/keys", `/w/${workflows[0].id}`, "/w/none"];
  for (const width of [1440, 400]) {
    await page.setViewportSize({ width, height: 900 });
    for (const path of paths) {
      await page.goto(program.origin + path);
      assert.equal(await page.getAttribute("html", "lang"), "zh-CN", path);
      assert.ok((await overflow()) <= 0, `${path} at ${width} is ${await overflow()} px too wide`);
      if (width === 1440) assert.deepEqual(await axe(page), [], path);
    }
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${program.origin}/w/${workflows[0].id}`);
  await page.getByText("已保存").first().waitFor();
  assert.deepEqual(faults, []);
});
