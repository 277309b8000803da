// Measures what a page does: frame times, and processor time for a frame. The
// latter tells the same on a machine that is busy otherwise.

/** Nobody waits longer for a page that takes a second for a frame. */
const MOST_MS = 3_000;

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

function percentile(list, p) {
  const sorted = [...list].sort((a, b) => a - b);
  return Number((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? 0).toFixed(1));
}

const meters = new WeakMap();

async function metrics(page) {
  let cdp = meters.get(page);
  if (cdp === undefined) {
    cdp = await page.context().newCDPSession(page);
    await cdp.send("Performance.enable", { timeDomain: "threadTicks" });
    meters.set(page, cdp);
  }
  const { metrics } = await cdp.send("Performance.getMetrics");
  return (name) => metrics.find((m) => m.name === name)?.value ?? 0;
}

/** Processor time of the page's main thread so far, in milliseconds. */
export async function cpu(page) {
  return (await metrics(page))("TaskDuration") * 1_000;
}

/** Processor time of all of the browser's processes so far, in milliseconds. */
async function whole(browser) {
  let cdp = meters.get(browser);
  if (cdp === undefined) {
    cdp = await browser.newBrowserCDPSession();
    meters.set(browser, cdp);
  }
  const { processInfo } = await cdp.send("SystemInfo.getProcessInfo");
  return processInfo.reduce((sum, p) => sum + p.cpuTime, 0) * 1_000;
}

/** Frame times while something is going on, and what a frame costs. */
export async function measure(page, body) {
  const browser = page.context().browser();
  const before = { main: await cpu(page), all: await whole(browser) };
  await page.evaluate(() => {
    window.times = [];
    let last = performance.now();
    const step = () => {
      const now = performance.now();
      window.times?.push(now - last);
      last = now;
      if (window.times !== undefined) requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  });
  const start = Date.now();
  await body();
  const seconds = (Date.now() - start) / 1_000;
  const times = await page.evaluate(() => {
    const got = window.times;
    window.times = undefined;
    return got;
  });
  const per = (ms) => Number((ms / Math.max(1, times.length)).toFixed(1));
  return {
    fps: Math.round(times.length / seconds),
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    max: percentile(times, 1),
    cpu: per((await cpu(page)) - before.main),
    all: per((await whole(browser)) - before.all),
  };
}

/** What the page keeps, after the garbage is gone. */
export async function kept(page) {
  await page.evaluate(() => window.gc?.());
  await sleep(200);
  const metric = await metrics(page);
  return {
    heapMB: Number((metric("JSHeapUsedSize") / 1_048_576).toFixed(1)),
    domNodes: metric("Nodes"),
  };
}

/** Moves the pointer along a circle at the pace of frames. */
export async function circle(page, x, y, dx, dy) {
  const start = Date.now();
  for (let i = 1; i <= 120 && Date.now() - start < MOST_MS; i++) {
    const began = Date.now();
    const turn = (i / 120) * Math.PI * 2;
    await page.mouse.move(x + Math.sin(turn) * dx, y + (1 - Math.cos(turn)) * dy);
    await sleep(Math.max(0, 16 - (Date.now() - began)));
  }
}

/** 1,200 changes of status a second, for 2 s. */
export function storm(page) {
  return page.evaluate(
    () =>
      new Promise((done) => {
        const start = performance.now();
        let sent = 0;
        const timer = setInterval(() => {
          const due = Math.floor(((performance.now() - start) / 1_000) * 1_200);
          window.bench.driven.tick(due - sent);
          sent = due;
          if (sent < 2_400) return;
          clearInterval(timer);
          done();
        }, 16);
      }),
  );
}

/** Zooms out and in again, a bit each frame. */
export function zoom(page) {
  return page.evaluate(async (most) => {
    const start = performance.now();
    for (let i = 0; i < 90 && performance.now() - start < most; i++) {
      window.bench.driven.zoomBy(i < 45 ? 0.95 : 1 / 0.95);
      await new Promise(requestAnimationFrame);
    }
  }, MOST_MS);
}
