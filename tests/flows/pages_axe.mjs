// Visits pages in Chromium, does what a person would do there, and has axe-core judge what came, in each of the looks.
// Its only argument is the file of a JSON description; it writes JSON to stdout.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const LOOKS = [
  { colorScheme: "light", width: 1280 },
  { colorScheme: "dark", width: 390 },
  { colorScheme: "light", width: 320 },
];
const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

const acts = {
  type: (page, text) => page.keyboard.type(text),
  press: (page, key) => page.keyboard.press(key),
  click: (page, selector) => page.click(selector),
  arrive: (page, url) => page.waitForURL(url),
  see: (page, selector) => page.waitForSelector(selector),
  fill: (page, text) => page.locator("input:visible").first().fill(text),
};

// What no script may do: the console tells it too, but not for every policy that is only reported.
const tellViolations = () =>
  addEventListener("securitypolicyviolation", (event) => console.error(`CSP: ${event.violatedDirective}: ${event.blockedURI}`), true);

async function judge(page, look, name) {
  await page.setViewportSize({ width: look.width, height: 800 });
  await page.emulateMedia({ colorScheme: look.colorScheme });
  const report = await page.evaluate(() => axe.run(document));
  if (job.shots) await page.screenshot({ path: `${job.shots}/${name}-${look.colorScheme}-${look.width}.png`, fullPage: true });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  const faults = report.violations.map((one) => `${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`);
  return [...faults, ...(wider > 0 ? [`${wider} pixels wider than the screen`] : [])].map((fault) => `${look.colorScheme}, ${look.width}: ${fault}`);
}

async function go(visit) {
  const context = await browser.newContext({ javaScriptEnabled: visit.javascript });
  const page = await context.newPage();
  const said = [];
  const documents = new Map();
  page.on("response", (response) => response.request().isNavigationRequest() && documents.set(response.url(), response.status()));
  page.on("console", (message) => {
    // Chromium notes each answer of 400 and more; for a page that is a page's own matter.
    const isPage = documents.has(message.location().url) && message.text().includes("the server responded with a status of");
    if (!isPage) said.push(`${message.type()}: ${message.text()} ${message.location().url}`);
  });
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  page.on("requestfailed", (request) => {
    // What was still on its way when the next page was asked for has not failed.
    if (request.failure()?.errorText === "net::ERR_ABORTED") return;
    if (!request.isNavigationRequest()) said.push(`failed: ${request.url()}: ${request.failure()?.errorText}`);
  });
  if (visit.javascript) await context.addInitScript(tellViolations);
  // There a client would wait for the answer.
  await context.route((url) => url.origin !== job.origin, (route) => route.fulfill({ body: "arrived", contentType: "text/plain" }));
  await page.goto(job.origin + visit.path);
  for (const [act, value] of visit.acts) await acts[act](page, value);
  const faults = [];
  if (visit.judged) {
    await page.evaluate(axe);
    for (const look of LOOKS) faults.push(...(await judge(page, look, visit.name)));
  }
  const status = documents.get(page.url());
  const seen = { name: visit.name, url: page.url(), status, said, faults, text: await page.innerText("body") };
  await context.close();
  return seen;
}

const seen = [];
for (const visit of job.visits) seen.push(await go(visit));
await browser.close();
process.stdout.write(JSON.stringify(seen));
