// Keeps one page of a development server open in Chromium while files change, and tells what the page did.
// Its only argument is the file of a JSON description; it writes JSON to stdout: for each step how often the page was loaded.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const page = await (await browser.newContext()).newPage();
await page.addInitScript(() =>
  addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective}: ${event.blockedURI}`), true));
let loads = 0;
let said = [];
page.on("load", () => (loads += 1));
// Chromium notes each answer of 400 and more, and the page of an error is one.
page.on("console", (message) => message.text().includes("the server responded with a status of") || said.push(message.text()));
page.on("pageerror", (error) => said.push(error.message));

const acts = {
  write: ([file, text]) => writeFileSync(file, text),
  fill: (text) => page.locator("input").first().pressSequentially(text),
  click: (name) => page.getByRole("button", { name }).click(),
};

await page.goto(job.origin);
const seen = [];
for (const step of job.steps) {
  loads = 0;
  said = [];
  for (const [act, value] of step.acts) await acts[act](value);
  await page.getByText(step.sees).first().waitFor({ timeout: job.patience_s * 1000 });
  // A page that refreshed for ever, or twice, would do so within a moment: it listens again, and hears the state again.
  await page.waitForTimeout(job.calm_ms);
  const faults = [];
  if (step.judged) {
    await page.evaluate(axe);
    const report = await page.evaluate(() => axe.run(document));
    faults.push(...report.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`));
  }
  for (const colorScheme of job.shots ? ["light", "dark"] : []) {
    await page.emulateMedia({ colorScheme });
    await page.screenshot({ path: `${job.shots}/${step.name}-${colorScheme}.png` });
  }
  seen.push({ name: step.name, loads, said, faults, value: await page.locator("input").first().inputValue({ timeout: 100 }).catch(() => null) });
}
await browser.close();
process.stdout.write(JSON.stringify(seen));
