// What the policy blocked, in words that say what to write. W3C CSP Level 3, section 5; SEP-1865, "UI resource metadata".
import { el } from "./preview_dom.js";

const KEPT = 20;
const KINDS = {
  "connect-src": "connect_domains",
  "frame-src": "frame_domains",
  "child-src": "frame_domains",
  "base-uri": "base_uri_domains",
  "script-src": "resource_domains",
  "style-src": "resource_domains",
  "img-src": "resource_domains",
  "font-src": "resource_domains",
  "media-src": "resource_domains",
};

/** Add a breach to the list, once for each directive and origin. */
export function breachIn(list, { directive, blocked }) {
  const what = String(directive).slice(0, 60);
  const where = String(blocked).slice(0, 300);
  const key = `${what} ${originOf(where) || where}`;
  if (list.children.length >= KEPT || [...list.children].some((item) => item.dataset.key === key)) return;
  const item = el("li", {}, el("strong", {}, what), " blocked ", el("code", {}, where), el("br"), ...advice(what, where));
  item.dataset.key = key;
  list.append(item);
  list.parentElement.hidden = false;
}

function advice(what, where) {
  const kind = KINDS[what.replace(/-(elem|attr)$/, "")];
  const origin = originOf(where);
  if (kind && origin) return ["To allow it, write ", el("code", {}, `csp=AppCSP(${kind}=[${JSON.stringify(origin)}])`), " in the page's AppSpec."];
  if (where === "eval" || where === "wasm-eval") return ["No host lets a page make code of text. Some libraries, zod among them, try it and go on without; then nothing is wrong."];
  if (where === "data" || where === "blob") return [`Pages may not load ${where}: here; serve it from an origin that the csp names.`];
  if (what === "form-action") return ["A page may not send forms; listen to submit, and call a tool."];
  return ["Hosts block it as well; put it into the page itself."];
}

function originOf(text) {
  try {
    const { protocol, origin } = new URL(text);
    return /^(https?|wss?):$/.test(protocol) ? origin : "";
  } catch {
    return "";
  }
}
