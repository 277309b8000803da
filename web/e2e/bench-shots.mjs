// Pictures of the canvas in both themes, near and far, to look at.
import { mkdirSync } from "node:fs";
import { sleep } from "./bench-meter.mjs";
import { frames, open } from "./kernel-page.mjs";

export async function shoot(browser, url, shots) {
  mkdirSync(shots, { recursive: true });
  for (const theme of ["light", "dark"]) {
    const { page } = await open(browser, url, { viewport: { width: 1680, height: 1000 } });
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    await page.evaluate(() => {
      const { kernel } = window.bench;
      kernel.select({ nodes: ["route"] });
      kernel.setIssues([{ code: "x", severity: "warning", message: "m", node: "batch" }]);
      for (const [edge, n] of [["created-success-enrich", "1,204"], ["route-express-triage", "312"], ["route-vision-vision", "88"], ["route-default-batch", "804"]]) kernel.setLabel(edge, n);
    });
    for (const z of [1, 0.6, 0.2]) {
      await page.evaluate((z) => window.bench.kernel.setCamera({ x: z === 1 ? -120 : 40, y: z === 1 ? 20 : 60, z }), z);
      await frames(page, 30);
      await page.screenshot({ path: `${shots}/design-${theme}-${z * 100}.png` });
    }
    await page.evaluate(() => {
      window.bench.kernel.select({});
      window.bench.midRun();
      window.bench.kernel.setCamera({ x: 10, y: 20, z: 0.85 });
      for (let i = 0; i < 3; i++) setTimeout(() => window.bench.kernel.drop("route-vision-vision"), i * 120);
    });
    await sleep(450);
    await page.screenshot({ path: `${shots}/run-${theme}.png` });
    await page.evaluate(() => {
      const { kernel, large, specs } = window.bench;
      kernel.load(large(3000), specs);
      window.bench.tick(1500);
      kernel.fit();
    });
    for (const z of [undefined, 0.3]) {
      if (z !== undefined) await page.evaluate((z) => window.bench.kernel.setCamera({ x: 20, y: 20, z }), z);
      await frames(page, 10);
      await page.screenshot({ path: `${shots}/large-${theme}-${z ?? "all"}.png` });
    }
    await page.close();
  }
}
