// The page of the preview, put together: a tool, its form, the call, the widget.
import { ask } from "./preview_asking.js";
import { CallerChoice } from "./preview_caller.js";
import { onChanges } from "./preview_changes.js";
import { byId, el } from "./preview_dom.js";
import { formFor } from "./preview_form.js";
import { Log } from "./preview_log.js";
import { complaints, told } from "./preview_result.js";
import { plain } from "./preview_shown.js";
import { Stage } from "./preview_stage.js";
import * as wire from "./preview_wire.js";

const asked = new URLSearchParams(location.search);
const log = new Log();
let caller;
let form;
let tool = null;
let running = null;
const stage = new Stage(log, () => caller.value());

const pageOf = (one) => one._meta?.ui?.resourceUri ?? one._meta?.["ui/resourceUri"] ?? one._meta?.["openai/outputTemplate"] ?? "";
const is = (one, name) => one.name === name || one.name.replaceAll(".", "_") === name;

// --------------------------------------------------------------------------------------------------------- the tools

async function loadTools(wanted) {
  try {
    stage.tools = await wire.listed(caller.value(), "tools/list", "tools");
  } catch (problem) {
    stage.tools = [];
    say(problem.message);
  }
  const picker = byId("tool");
  const option = (one) => el("option", { value: one.name }, one.name);
  const group = (label, tools) => (tools.length ? [el("optgroup", { label }, ...tools.map(option))] : []);
  const shows = stage.tools.filter(pageOf);
  picker.replaceChildren(...group("With a widget", shows), ...group("Without", stage.tools.filter((one) => !pageOf(one))));
  const chosen = stage.tools.find((one) => is(one, wanted)) ?? shows[0] ?? stage.tools[0];
  if (!stage.tools.length) say("There is no tool that this caller may use.");
  else if (wanted && !is(chosen, wanted)) say(`There is no tool ${wanted} that this caller may use.`);
  if (chosen) picker.value = chosen.name;
  if (chosen?.name !== tool?.name) choose(chosen ?? null);
  else if (JSON.stringify(chosen) !== JSON.stringify(tool)) renew(chosen);
}

/** The same tool, described anew: what was filled in stays. */
function renew(one) {
  const { value } = form.read();
  tool = one;
  describe(one);
  form.fill(value);
  form.clear();
}

function describe(one) {
  form = formFor(one?.inputSchema);
  byId("form").replaceChildren(form.element);
  byId("about").textContent = one?.description ?? "";
  byId("facts").replaceChildren(...(one ? facts(one) : []).map((words) => el("span", { class: "tag" }, words)));
  byId("call").disabled = byId("as-json").disabled = !one;
}

function choose(one) {
  tool = one;
  running?.abort.abort();
  running = null;
  byId("cancel").hidden = true;
  describe(one);
  showJson(false);
  byId("result").replaceChildren();
  byId("result").hidden = true;
  stage.state = undefined;
  stage.open(one && !pageOf(one) ? { tool: one, uri: "" } : null);
}

function facts(one) {
  const { readOnlyHint, destructiveHint, idempotentHint } = one.annotations ?? {};
  const visibility = one._meta?.ui?.visibility;
  return [pageOf(one), readOnlyHint && "read only", destructiveHint && "destructive", idempotentHint && "idempotent", Array.isArray(visibility) && `for ${visibility.join(" and ")}`].filter(Boolean);
}

// ---------------------------------------------------------------------------------------------------------- the call

function argumentsOf() {
  if (byId("json").hidden) return form.read();
  try {
    const value = JSON.parse(byId("json-text").value || "{}");
    if (value && typeof value === "object" && !Array.isArray(value)) return { value, problems: [] };
  } catch (problem) {
    return { value: {}, problems: [`This is no JSON: ${problem.message}`] };
  }
  return { value: {}, problems: ["Arguments are a JSON object."] };
}

function showJson(isJson) {
  byId("json").hidden = !isJson;
  byId("form").hidden = isJson;
  byId("as-json").setAttribute("aria-pressed", String(isJson));
}

async function call() {
  if (!tool) return;
  const { value, problems } = argumentsOf();
  say(problems.length ? (byId("json").hidden ? "Some fields need another look." : problems[0]) : "");
  if (problems.length) return byId("form").querySelector('[aria-invalid="true"]')?.focus();
  form.clear();
  running?.abort.abort();
  const run = { tool, uri: pageOf(tool), args: value, partials: byId("partial").checked ? partialsOf(value) : [], abort: new AbortController() };
  running = run;
  link(value);
  byId("cancel").hidden = false;
  byId("result").replaceChildren(el("p", { class: "soft" }, "Calling …"));
  byId("result").hidden = false;
  stage.open(run);
  log.add("server", "tools/call", { name: tool.name, arguments: value });
  try {
    const hear = ({ answer }) => log.add("server", answer.inputResponses ? "tools/call again, with answers" : "tools/call asks", answer);
    const found = await ask(caller.value(), "tools/call", { name: tool.name, arguments: value }, run.abort.signal, hear);
    if (running !== run) return;
    log.add("server", `tools/call answered in ${found.ms} ms`, found.answer, Boolean(found.answer.error || found.answer.result?.isError));
    byId("result").replaceChildren(...told(found));
    if (byId("json").hidden) complaints(found).forEach(([path, words]) => form.tell(path, words));
    if (found.answer.result) stage.finish(run, plain(found.answer.result));
    else stage.cancel(run, found.answer.error.message);
  } catch (problem) {
    if (running !== run) return;
    const words = run.abort.signal.aborted ? "The call was cancelled." : problem.message;
    byId("result").replaceChildren(el("p", { class: "wrong", role: "alert" }, words));
    stage.cancel(run, run.abort.signal.aborted ? "user action" : words);
  }
  byId("cancel").hidden = true;
}

/** How arguments look while a model writes them: one more at a time, texts half of their length first. */
function partialsOf(value) {
  const found = [];
  const soFar = {};
  for (const [name, one] of Object.entries(value)) {
    if (typeof one === "string" && one.length > 1) found.push({ ...soFar, [name]: one.slice(0, one.length / 2) });
    soFar[name] = one;
    found.push({ ...soFar });
  }
  return found;
}

function link(value) {
  const { theme, width } = stage.look;
  const given = { tool: tool.name, args: JSON.stringify(value), as: caller.value().user, host: stage.host, theme, width, csp: stage.hasCsp ? "" : "off" };
  const query = new URLSearchParams(Object.entries(given).filter(([, one]) => one));
  const address = `${location.pathname}?${query}`;
  if (address.length < 8000) history.replaceState(null, "", address);
}

const say = (words) => {
  byId("problem").textContent = words;
  byId("problem").hidden = !words;
};

// ------------------------------------------------------------------------------------------------------ the controls

function press(name, value) {
  for (const button of document.querySelectorAll(`button[data-${name}]`)) button.setAttribute("aria-pressed", String(button.dataset[name] === value));
}

function control(name, first, change) {
  for (const button of document.querySelectorAll(`button[data-${name}]`)) {
    button.addEventListener("click", () => {
      press(name, button.dataset[name]);
      change(button.dataset[name]);
    });
  }
  const known = [...document.querySelectorAll(`button[data-${name}]`)].some((button) => button.dataset[name] === first);
  if (known) press(name, first);
  return known;
}

function begin() {
  const theme = asked.get("theme") ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  if (control("theme", theme, (value) => stage.change({ theme: value }))) stage.look.theme = theme;
  const width = asked.get("width") ?? "inline";
  if (control("width", width, (value) => stage.change({ width: value }))) stage.look.width = width;
  const host = asked.get("host") ?? "standard";
  const onHost = (value) => ((stage.host = value), stage.reload());
  if (control("host", host, onHost)) stage.host = host;
  const csp = asked.get("csp") ?? "on";
  const onCsp = (value) => ((stage.hasCsp = value === "on"), stage.reload());
  if (control("csp", csp, onCsp)) stage.hasCsp = csp === "on";
  stage.showLook();
  byId("tool").addEventListener("change", () => choose(stage.tools.find((one) => one.name === byId("tool").value) ?? null));
  byId("call-form").addEventListener("submit", (event) => (event.preventDefault(), call()));
  byId("call-form").addEventListener("input", () => say(""));
  byId("cancel").addEventListener("click", () => running?.abort.abort());
  byId("reload").addEventListener("click", () => stage.reload());
  byId("as-json").addEventListener("click", () => {
    const isJson = byId("json").hidden;
    const { value, problems } = argumentsOf();
    if (isJson) byId("json-text").value = JSON.stringify(value, null, 2);
    else if (problems.length) return say(problems[0]);
    else form.fill(value);
    say("");
    showJson(isJson);
  });
}

/** Files have changed, or the server has started anew: the widget is loaded again if it is another, the form made again likewise. */
async function follow(isNewRun) {
  if (isNewRun) await loadTools(tool?.name);
  await stage.refresh();
}

/** `?tool=…&args=…`: the form is filled. Only a tool that says it changes nothing is called at once: an address is no consent. */
function fill() {
  if (!asked.has("args") || !tool) return;
  let value;
  try {
    value = JSON.parse(asked.get("args"));
  } catch {
    return say("The arguments in the address are no JSON.");
  }
  form.fill(value);
  if (tool.annotations?.readOnlyHint === true) call();
}

async function start() {
  begin();
  try {
    caller = new CallerChoice(await wire.callers(), asked.get("as"), () => loadTools(tool?.name));
  } catch (problem) {
    return say(problem.message);
  }
  await loadTools(asked.get("tool"));
  fill();
  onChanges(follow);
}

start();
