// Opens pages in Chromium, signs in where a form asks for it, and tells what of each page is markup that should not be there, or ran.
// Its only argument is the file of a JSON description; it writes JSON to stdout.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const job = JSON.parse(readFileSync(process.argv[2], "utf8"));
const browser = await chromium.launch({ executablePath: job.chromium, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const FOREIGN = "script, img, svg, iframe, object, b, a[href^='javascript:'], [onerror], [onload]";
const found = [];

async function look(page, where) {
  const count = await page.evaluate((selector) => document.querySelectorAll(selector).length, FOREIGN);
  if (count) found.push(`${where}: ${count} foreign elements`);
}

for (const [name, path] of Object.entries(job.visits)) {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.setDefaultTimeout(10000);
  page.on("dialog", async (dialog) => {
    found.push(`${name}: ran ${dialog.message()}`);
    await dialog.dismiss();
  });
  await page.goto(job.origin + path);
  await look(page, `${name}, first page`);
  // Where markup got in, a form may be in pieces: then there is nothing more to see.
  if (!found.some((line) => line.startsWith(name)) && (await page.$("input[type=password]"))) {
    await page.fill("input[name=username]", job.user);
    await page.fill("input[type=password]", job.password);
    await page.keyboard.press("Enter");
    await page.waitForSelector("button[value=allow]");
    await look(page, `${name}, consent`);
    found.push(...(await page.innerText("body")).includes(job.mark) ? [] : [`${name}: the name is not on the consent page`]);
  }
  await context.close();
}
await browser.close();
process.stdout.write(JSON.stringify(found));
