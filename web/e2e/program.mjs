// Starts the real program on a free port with data of its own, and a real
// browser, for the tests in this folder.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** What lets Chromium run anywhere, and keeps it off the network. */
export const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A directory for the data, which the database's user may enter. */
function makeDirectory() {
  const dir = mkdtempSync(join(tmpdir(), "signalbox-e2e-"));
  chmodSync(dir, 0o755);
  return dir;
}

/**
 * The program with data of its own: its address, what makes somebody its
 * owner (the link for it, or the session of the one that it has), and how to
 * stop it. Where web/e2e/all.mjs has prepared data, it begins with a copy of
 * them, unless it is to be fresh.
 */
export async function startProgram({ fresh = false } = {}) {
  const prepared = fresh ? undefined : process.env.SIGNALBOX_E2E_PREPARED;
  const dir = makeDirectory();
  // Node's own copying does not keep the owner, and the database's files have one.
  if (prepared) execFileSync("cp", ["-a", `${prepared}/.`, dir]);
  const session = prepared ? JSON.parse(readFileSync(join(dir, "session.json"), "utf8")) : undefined;
  return { ...(await serve(dir)), session };
}

/** The program on the data in a directory, which go with it unless they are to stay. */
async function serve(dir, { keep = false } = {}) {
  const child = spawn("bin/signalbox", ["serve", "--data", dir, "--listen", "127.0.0.1:0"], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let out = "";
  let log = "";
  child.stderr.on("data", (d) => {
    log += d;
  });
  await new Promise((resolve, reject) => {
    child.stdout.on("data", (d) => {
      out += d;
      if (out.includes("curl")) resolve();
    });
    child.on("exit", (code) => reject(new Error(`the program ended with ${code}: ${log}`)));
  });
  const origin = new URL(/Signalbox is at (\S+)/.exec(out)[1]).origin;
  return {
    origin,
    setup: /http\S+\/setup\/\S+/.exec(out)?.[0],
    log: () => log,
    async stop() {
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGINT");
      const code = await ended;
      if (!keep) rmSync(dir, { recursive: true, force: true });
      return code;
    },
  };
}

const owner = { name: "Ada", email: "ada@example.org", password: "a long enough password" };

/**
 * Data with an owner who is logged in: what most tests begin with, and what
 * takes the program longest to make.
 */
export async function prepareData() {
  const dir = makeDirectory();
  const program = await serve(dir, { keep: true });
  const answer = await fetch(program.setup, { method: "POST", redirect: "manual", body: new URLSearchParams(owner) });
  const [name, value] = answer.headers.getSetCookie()[0].split(";")[0].split("=");
  await program.stop();
  writeFileSync(join(dir, "session.json"), JSON.stringify({ name, value }));
  // Nobody pulls the plug on a test.
  appendFileSync(join(dir, "postgres/data/postgresql.conf"), "\nfsync = off\n");
  return dir;
}

/** A browser that reports what a page must never do. */
export async function startBrowser() {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: flags });
  return {
    async page(options = {}) {
      const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, reducedMotion: "reduce", ...options });
      const page = await context.newPage();
      const faults = [];
      page.on("pageerror", (e) => faults.push(`error: ${e.message}`));
      page.on("console", (m) => {
        if (m.type() === "error" && !/status of (4\d\d|502)/.test(m.text())) faults.push(`console: ${m.text()}`);
      });
      page.on("dialog", (d) => {
        faults.push(`dialog: ${d.message()}`);
        d.dismiss().catch(() => {});
      });
      return { page, context, faults };
    },
    close: () => browser.close(),
  };
}

const axeSource = readFileSync("node_modules/axe-core/axe.min.js", "utf8");

// All that a theme can break.
const COLORS = { runOnly: ["color-contrast", "link-in-text-block"] };

/**
 * Accessibility violations of a page, as short lines. Where all of it is checked
 * in one theme, the colors are enough in the other. Style sheets are not fetched
 * once more for the one rule that reads them, about locked orientation: ours
 * lock nothing.
 */
export async function axe(page, { colors = false } = {}) {
  // The page's policy forbids injected scripts; the debugger's protocol does not.
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axeSource });
  const { result, exceptionDetails } = await session.send("Runtime.evaluate", {
    expression: `axe.run(document, ${JSON.stringify({ resultTypes: ["violations"], preload: false, ...(colors ? COLORS : {}) })}).then((r) => JSON.stringify(r.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ')).join(' | '))))`,
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.text);
  return JSON.parse(result.value);
}

/** Waits until a part of the page says this. */
export async function says(part, pattern) {
  for (const end = Date.now() + 10_000; ; await new Promise((done) => setTimeout(done, 40))) {
    const text = await part.innerText();
    if (pattern.test(text)) return;
    if (Date.now() > end) assert.match(text, pattern);
  }
}

/** Logs the page in as the owner, whom it makes when the program has none. */
export async function becomeOwner(page, program) {
  if (program.session) {
    await page.context().addCookies([{ ...program.session, url: program.origin, httpOnly: true, sameSite: "Lax" }]);
    await page.goto(program.origin);
    return;
  }
  await page.goto(program.setup);
  for (const [field, value] of Object.entries(owner)) await page.fill(`input[name="${field}"]`, value);
  await page.click('button[type="submit"]');
  await page.waitForURL(`${program.origin}/`);
}
