// What a tool asks its user while it works: a form, or a page to open. MCP 2026-07-28, basic/patterns/mrtr: the answer of such a call
// is the question, and the call is made again with the answers.
import { byId, el } from "./preview_dom.js";
import { formFor } from "./preview_form.js";
import * as wire from "./preview_wire.js";

const MAX_ROUNDS = 20;

/** One MCP request, made again for as long as it asks something: what `wire.ask` gives for the last of them. */
export async function ask(caller, method, params, signal, hear = () => {}) {
  let found = await wire.ask(caller, method, params, signal);
  for (let round = 0; found.answer.result?.resultType === "input_required" && round < MAX_ROUNDS; round++) {
    hear(found);
    const { inputRequests, requestState } = found.answer.result;
    const inputResponses = await answers(inputRequests ?? {}, signal);
    hear({ answer: { inputResponses } });
    const again = { ...params, inputResponses, ...(requestState !== undefined && { requestState }) };
    found = await wire.ask(caller, method, again, signal);
  }
  return found;
}

async function answers(requests, signal) {
  const found = {};
  for (const [key, { method, params }] of Object.entries(requests)) {
    if (method !== "elicitation/create") throw new wire.Trouble(`This preview cannot answer ${method}.`);
    found[key] = await answer(params ?? {}, signal);
  }
  return found;
}

function answer({ message, mode, url, requestedSchema }, signal) {
  const holder = byId("questions");
  const form = mode === "url" ? null : formFor(requestedSchema);
  form?.fill(defaultsOf(requestedSchema));
  return new Promise((resolve, reject) => {
    const end = (settle, value) => {
      box.remove();
      holder.hidden = !holder.children.length;
      settle(value);
    };
    const button = (name, action, more = {}) => el("button", { type: "button", onclick: () => end(resolve, { action }), ...more }, name);
    const accept = (event) => {
      event.preventDefault();
      const { value, problems } = form ? form.read() : { problems: [] };
      if (problems.length) box.querySelector('[aria-invalid="true"]')?.focus();
      else end(resolve, { action: "accept", ...(form && { content: value }) });
    };
    const box = el(
      "form",
      { class: "card", novalidate: true, onsubmit: accept, "aria-label": "The tool asks" },
      el("h3", {}, "The tool asks"),
      el("p", { class: "spoken" }, String(message ?? "").slice(0, 2000)),
      form ? form.element : el("p", {}, "It wants to open ", linkTo(url)),
      el("div", { class: "row" }, el("button", { class: "first" }, "Accept"), button("Decline", "decline"), button("Cancel", "cancel")),
    );
    signal?.addEventListener("abort", () => end(reject, new wire.Trouble("The call was cancelled.")), { once: true });
    holder.append(box);
    holder.hidden = false;
    box.querySelector("input, select, textarea, button").focus();
  });
}

function defaultsOf(schema) {
  const given = Object.entries(schema?.properties ?? {}).filter(([, node]) => node && typeof node === "object" && "default" in node);
  return Object.fromEntries(given.map(([name, node]) => [name, node.default ?? undefined]));
}

function linkTo(url) {
  const address = String(url).slice(0, 2000);
  const isWeb = /^https?:\/\//i.test(address);
  return isWeb ? el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address) : el("code", {}, address);
}
