// Uses the preview in Chromium as a developer would, and tells what was there to see. Its argument is the file of a JSON job; it writes
// JSON to stdout: for each visit what it found, what the console said, and what axe-core found wrong, light and dark, wide and narrow.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });

const LOOKS = [
  { colorScheme: "light", width: 1400 },
  { colorScheme: "dark", width: 390 },
];
const NARROWEST = 320; // WCAG 2.2, 1.4.10

async function judge(page, name) {
  const faults = [];
  for (const { colorScheme, width } of LOOKS) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    await page.evaluate(axe);
    const report = await page.evaluate(() => axe.run(document, { iframes: false }));
    if (job.shots) {
      // Not by fullPage: frames of another process are painted out of place there.
      await page.setViewportSize({ width, height: await page.evaluate(() => document.documentElement.scrollHeight) });
      await page.screenshot({ path: `${job.shots}/${name}-${colorScheme}-${width}.png` });
    }
    faults.push(...report.violations.map((one) => `${colorScheme} ${width}: ${one.id}: ${one.help}: ${one.nodes.map((node) => node.html).join(" ")}`));
  }
  await page.setViewportSize({ width: NARROWEST, height: 900 });
  const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  if (wider > 0) faults.push(`${wider} pixels wider than a screen of ${NARROWEST}`);
  await page.setViewportSize({ width: 1400, height: 900 });
  return faults;
}

const widget = (page) => page.frameLocator("#frame iframe");
const inWidget = (page, id) => widget(page).locator(`#${id}`);
const texts = (page, selector) => page.locator(selector).allInnerTexts();
const until = async (locator, wanted) => {
  await locator.filter({ hasText: wanted }).waitFor();
  return locator.innerText();
};
const pressed = (page, name) => page.getByRole("button", { name, exact: true }).click();
const call = (page) => page.locator("#call").click();
const log = async (page) => (await texts(page, "#log summary code, #log .plain code")).map((text) => text.trim());

const visits = {
  async picture(page) {
    const seen = { name: await until(inWidget(page, "name"), "noon"), rows: await inWidget(page, "rows").innerText() };
    seen.height = await page.locator("#frame").evaluate((frame) => frame.clientHeight);
    seen.sandbox = await page.locator("#frame iframe").getAttribute("sandbox");
    seen.allow = await page.locator("#frame iframe").getAttribute("allow");
    await inWidget(page, "rename").click();
    seen.renamed = await until(inWidget(page, "answer"), "renamed");
    await inWidget(page, "erase").click();
    seen.erased = await until(inWidget(page, "answer"), "not for apps");
    await pressed(page, "Dark");
    seen.theme = await until(inWidget(page, "theme"), "dark");
    await inWidget(page, "link").click();
    seen.link = await page.locator("#said a").getAttribute("href");
    await inWidget(page, "say").click();
    seen.spoken = await until(page.locator("#said .spoken"), "Buy");
    await inWidget(page, "wide").click();
    seen.mode = await until(page.locator("#mode"), "fullscreen");
    await inWidget(page, "throw").click();
    seen.notes = [await until(page.locator("#notes li").last(), "fell down"), await page.locator("#notes li").first().innerText()];
    await page.locator("#log-filter").fill("open-link");
    seen.filtered = await page.locator("#log li:visible").count();
    await page.locator("#log-filter").fill("");
    seen.log = await log(page);
    seen.address = new URL(page.url()).search;
    seen.faults = await judge(page, "picture");
    await pressed(page, "Load again");
    seen.again = await until(inWidget(page, "name"), "noon");
    return seen;
  },

  async repainted(page) {
    await until(inWidget(page, "stroke"), "first");
    await inWidget(page, "repaint").click();
    return { stroke: await until(inWidget(page, "stroke"), "second") };
  },

  async breach(page) {
    await until(inWidget(page, "name"), "dusk");
    await inWidget(page, "fetch").click();
    const seen = { breach: await until(page.locator("#breaches li"), "evil") };
    seen.faults = await judge(page, "breach");
    await pressed(page, "No CSP");
    await until(inWidget(page, "name"), "dusk");
    seen.after = await page.locator("#breaches").isVisible();
    return seen;
  },

  async chatgpt(page) {
    await page.getByLabel("name").fill("dawn");
    await call(page);
    const seen = { name: await until(inWidget(page, "name"), "first"), seen: await inWidget(page, "seen").innerText() };
    await inWidget(page, "rename").click();
    seen.renamed = await until(inWidget(page, "answer"), "renamed");
    await inWidget(page, "erase").click();
    seen.erased = await until(inWidget(page, "answer"), "not for apps");
    await inWidget(page, "state").click();
    seen.kept = await until(inWidget(page, "seen"), "much");
    await pressed(page, "Dark");
    seen.dark = await until(inWidget(page, "seen"), "dark");
    await pressed(page, "Phone");
    seen.phone = await until(inWidget(page, "seen"), "mobile");
    await pressed(page, "Load again");
    seen.again = await until(inWidget(page, "seen"), "much");
    await inWidget(page, "file").click();
    seen.file = await until(inWidget(page, "answer"), "dot");
    await inWidget(page, "in-app").click();
    seen.link = await page.locator("#said a").getAttribute("href");
    await inWidget(page, "tall").click();
    await page.waitForFunction(() => document.querySelector("#frame").style.height === "777px");
    seen.first = await inWidget(page, "view").innerText();
    await inWidget(page, "modal").click();
    seen.modal = await until(inWidget(page, "view"), "modal");
    await page.locator("#said li", { hasText: "A modal window" }).waitFor();
    await inWidget(page, "modal").click();
    seen.second = await until(page.locator("#notes li").last(), "one at a time");
    await inWidget(page, "close").click();
    seen.closed = await until(inWidget(page, "view"), "inline");
    seen.log = await log(page);
    return seen;
  },

  async form(page) {
    const seen = { fields: await texts(page, "#form label, #form legend") };
    await call(page);
    seen.required = await texts(page, "#form .wrong:visible:not(span)");
    seen.focus = await page.evaluate(() => document.activeElement.labels?.[0]?.innerText);
    await page.getByLabel("title").fill("Dusk");
    await page.getByLabel("copies").fill("12");
    await call(page);
    seen.most = await texts(page, "#form .wrong:visible:not(span)");
    await page.getByLabel("copies").fill("3");
    await page.getByLabel("paper").selectOption("gloss");
    await page.locator("#form").getByLabel("width").fill("640");
    await page.getByRole("button", { name: "Add to tags" }).click();
    await page.keyboard.type("sea");
    await page.getByLabel("extra").fill('{"deep": [1, null]}');
    seen.faults = await judge(page, "form");
    await call(page);
    await page.locator(".outcome").waitFor();
    seen.args = JSON.parse(new URL(page.url()).searchParams.get("args"));
    await page.locator("#as-json").click();
    await page.locator("#json-text").fill('{"title": "Dusk", "copies": "many", "nothing": 1}');
    await call(page);
    seen.unknown = await until(page.locator("#result"), "nothing");
    await page.locator("#json-text").fill('{"title": "D", "size": {"width": 0}}');
    await page.locator("#as-json").click();
    seen.filled = [await page.getByLabel("title").inputValue(), await page.locator("#form").getByLabel("width").inputValue()];
    return seen;
  },

  async failure(page) {
    await call(page);
    const seen = { outcome: await until(page.locator(".outcome"), "failed") };
    seen.text = await page.locator("#result pre").first().innerText();
    seen.hidden = await page.locator("#result pre").first().evaluate((one) => one.scrollWidth - one.clientWidth);
    await page.locator("#result a").click();
    await page.waitForURL("**/_lazy/errors/*");
    seen.there = await page.innerText("main");
    await page.goBack();
    return seen;
  },

  async field(page) {
    // The form lets through what only the tool knows to be wrong; its complaint stands at the field.
    await page.getByLabel("day").fill("someday");
    await call(page);
    return { complaint: await until(page.locator("#form .wrong:visible").last(), "date") };
  },

  async asked(page) {
    await call(page);
    const question = page.getByRole("form", { name: "The tool asks" });
    const seen = { message: await question.locator(".spoken").innerText(), labels: await question.locator("label").allInnerTexts() };
    seen.choices = await question.locator("option").allInnerTexts();
    seen.wood = await question.getByLabel("wood").inputValue();
    await question.getByRole("button", { name: "Accept" }).click();
    seen.required = await question.locator("p.wrong:visible").innerText();
    seen.faults = await judge(page, "asked");
    await question.getByLabel("wood").selectOption("ash");
    await question.getByLabel("Nails").fill("8");
    await question.getByRole("button", { name: "Accept" }).click();
    await question.locator("a").waitFor();
    seen.link = await question.locator("a").getAttribute("href");
    await question.getByRole("button", { name: "Accept" }).click();
    await page.locator(".outcome").waitFor();
    seen.text = await page.locator("#result pre").first().innerText();
    await call(page);
    await question.getByRole("button", { name: "Decline" }).click();
    seen.declined = await until(page.locator("#result"), "failed");
    seen.left = await question.count();
    return seen;
  },

  async cancelled(page) {
    await call(page);
    await page.locator("#cancel").click();
    return { words: await until(page.locator("#result"), "cancelled") };
  },

  async reach(page, context) {
    await call(page);
    await page.locator("#log summary", { hasText: "notifications/message" }).waitFor();
    const told = await page.locator("#log li", { hasText: "notifications/message" }).locator("pre").textContent();
    const seen = { tried: JSON.parse(told).params.data, address: new URL(page.url()).pathname, pages: context.pages().length };
    seen.log = await log(page);
    return seen;
  },

  async flood(page) {
    await call(page);
    const seen = { note: await until(page.locator("#notes li").last(), "messages in a second") };
    seen.frames = await page.locator("#frame iframe").count();
    seen.rows = await page.locator("#log li").count();
    seen.alive = await page.evaluate(() => 6 * 7);
    return seen;
  },

  async large(page) {
    await call(page);
    await page.locator("#said .spoken").waitFor();
    await page.locator("#breaches li").waitFor();
    const seen = { spoken: await texts(page, "#said .spoken"), breach: await page.locator("#breaches li").innerText() };
    seen.images = await page.locator("#said img, #breaches img, #log img").count();
    seen.links = await page.locator("#said a").count();
    seen.height = await page.locator("#frame").evaluate((frame) => frame.clientHeight);
    seen.log = await log(page);
    seen.size = await page.evaluate(() => document.body.innerHTML.length);
    return seen;
  },

  async leave(page) {
    await call(page);
    return { note: await until(page.locator("#notes li").last(), "left its own document"), frames: await page.locator("#frame iframe").count() };
  },

  send: (page) => visits.leave(page),

  async official(page) {
    await page.getByLabel("name").fill("dawn");
    await page.locator("#partial").check();
    await call(page);
    const seen = { told: JSON.parse(await until(inWidget(page, "told"), "renamed")) };
    await pressed(page, "Dark");
    seen.context = await until(inWidget(page, "context"), "dark");
    await pressed(page, "Load again");
    await page.locator("#log summary", { hasText: "ui/resource-teardown" }).waitFor();
    seen.log = await log(page);
    return seen;
  },

  async nobody(page) {
    await page.locator("#tool option").first().waitFor({ state: "attached" });
    return { text: await page.innerText("#caller"), tools: await texts(page, "#tool option") };
  },
};

const found = {};

async function go({ name, query }) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000); // the machine may be busy; nothing here is timed
  const said = [];
  page.on("console", (message) => message.type() !== "debug" && said.push(`${message.type()}: ${message.text()}`));
  page.on("pageerror", (error) => said.push(`error: ${error.message}`));
  await context.route((url) => url.origin !== job.origin, (route) => route.abort());
  await page.goto(`${job.origin}/_lazy/preview?${new URLSearchParams(query)}`);
  await page.locator("#call:enabled").waitFor();
  try {
    found[name] = { ...(await visits[name](page, context)), said };
  } catch (error) {
    found[name] = { broken: `${error.message}\n${await page.innerText("main").catch(() => "")}`, said };
  }
  await context.close();
}

// A few at a time: most of a visit is waiting.
const rest = [...job.visits];
await Promise.all(
  Array.from({ length: 2 }, async () => {
    while (rest.length) await go(rest.shift());
  }),
);
await browser.close();
process.stdout.write(JSON.stringify(found));
