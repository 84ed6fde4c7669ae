// Visits pages in Chromium, does what a person would do there, and has axe-core judge what came: light and wide, dark and narrow.
// Its only argument is the file of a JSON description; it writes JSON to stdout.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const LOOKS = [{ colorScheme: "light", width: 1280 }, { colorScheme: "dark", width: 360 }];
const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

const acts = {
  type: (page, text) => page.keyboard.type(text),
  press: (page, key) => page.keyboard.press(key),
  click: (page, selector) => page.click(selector),
  arrive: (page, url) => page.waitForURL(url),
  see: (page, selector) => page.waitForSelector(selector),
};

async function judge(page, look, name) {
  await page.setViewportSize({ width: look.width, height: 800 });
  await page.emulateMedia({ colorScheme: look.colorScheme });
  const report = await page.evaluate(() => axe.run(document));
  if (job.shots) await page.screenshot({ path: `${job.shots}/${name}-${look.colorScheme}.png`, fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const faults = report.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`);
  return [...faults, ...(wider > 0 ? [`${wider} pixels wider than the screen`] : [])].map((fault) => `${look.colorScheme}: ${fault}`);
}

async function go(visit) {
  const context = await browser.newContext({ javaScriptEnabled: visit.javascript ?? true });
  const page = await context.newPage();
  const said = [];
  page.on("console", (message) => said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  // There a client would wait for the answer.
  await context.route((url) => url.origin !== job.origin, (route) => route.fulfill({ body: "arrived", contentType: "text/plain" }));
  await page.goto(job.origin + visit.path);
  for (const [act, value] of visit.acts) await acts[act](page, value);
  const faults = [];
  if (visit.judged) {
    await page.evaluate(axe);
    for (const look of LOOKS) faults.push(...(await judge(page, look, visit.name)));
  }
  const seen = { name: visit.name, url: page.url(), said, faults, text: await page.innerText("body") };
  await context.close();
  return seen;
}

const seen = [];
for (const visit of job.visits) seen.push(await go(visit));
await browser.close();
process.stdout.write(JSON.stringify(seen));
