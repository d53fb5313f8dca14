// Looks at pages as readers do: at 1280 and 390 pixels, light and dark. axe-core must find nothing serious, and no
// page may be wider than the screen.
//
//   npm install --prefix tools/pages
//   node tools/pages/check.mjs [--shots DIR] PAGE.html...
//
// CHROMIUM names the browser; else it is /usr/bin/chromium. Exit status 1 if something was found.
import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join, resolve } from "node:path";
import puppeteer from "puppeteer-core";

const pages = process.argv.slice(2);
const place = pages.indexOf("--shots");
const shots = place < 0 ? null : pages.splice(place, 2)[1];
if (!pages.length) {
  console.error("usage: check.mjs [--shots DIR] PAGE.html...");
  process.exit(2);
}
if (shots) mkdirSync(shots, { recursive: true });
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await puppeteer.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox"],
});
let found = 0;
const report = (where, text) => {
  found += 1;
  console.log(`${where}: ${text}`);
};
for (const file of pages) {
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"]) {
      const where = `${file} at ${width}, ${scheme}`;
      const page = await browser.newPage();
      page.on("pageerror", (error) => report(where, `script: ${error.message}`));
      await page.setViewport({ width, height: width === 390 ? 844 : 900 });
      await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
      await page.goto(`file://${resolve(file)}`);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run());
      for (const { impact, id, help, nodes } of violations) {
        const examples = nodes.slice(0, 3).map((node) => node.target.join(" "));
        const text = `${impact}: ${id}: ${help} (${nodes.length}: ${examples.join("; ")})`;
        if (["serious", "critical"].includes(impact)) report(where, text);
        else console.log(`${where}: not serious: ${text}`);
      }
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      if (wide > 0) report(where, `wider than the screen by ${wide} pixels`);
      if (shots) {
        const name = `${basename(file, ".html")}-${width}-${scheme}.png`;
        await page.screenshot({ path: join(shots, name) });
      }
      await page.close();
    }
  }
}
await browser.close();
console.log(found ? `${found} found` : `${pages.length} pages: nothing serious`);
process.exit(found ? 1 : 0);
