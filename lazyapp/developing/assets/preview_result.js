// The result of a call: what the model reads, what only the widget reads, how long it took.
import { block, el } from "./preview_dom.js";
import { shown } from "./preview_shown.js";

const IMAGES = ["image/png", "image/jpeg", "image/gif", "image/webp"];
const BYTES_A_TOKEN = 4;
const MAX_BLOCKS = 50;

/** The elements that tell an answer of the server. */
export function told({ answer, ms, status, failure, before }) {
  const { result, error } = answer;
  const isWrong = Boolean(error || result?.isError);
  const words = error ? `Refused with ${error.code}` : result?.isError ? "The tool failed" : "It worked";
  const line = el("p", { class: "outcome" }, el("strong", { class: isWrong ? "wrong" : "good" }, words), el("span", { class: "soft" }, ` · ${ms} ms · HTTP ${status}`));
  const parts = [line];
  if (failure) parts.push(el("p", {}, el("a", { href: `/_lazy/errors/${encodeURIComponent(failure)}` }, "Where it failed, with its traceback")));
  if (error) return [...parts, el("p", { class: "message" }, error.message), section("The error", error, true)];
  const { content, structuredContent, _meta, ...rest } = result;
  const forModel = tokens(content) + (structuredContent === undefined ? 0 : tokens(structuredContent));
  line.append(el("span", { class: "soft" }, ` · about ${forModel} tokens for the model`));
  parts.push(...(Array.isArray(content) ? content : []).slice(0, MAX_BLOCKS).map(part));
  if (structuredContent !== undefined) parts.push(section("structuredContent", structuredContent, true));
  if (_meta !== undefined) parts.push(section(`_meta, which no model reads (about ${tokens(_meta)} tokens)`, _meta));
  if (before.length) parts.push(section(`Told on the way (${before.length})`, before));
  return [...parts, section("The whole answer", { ...rest, content, structuredContent, _meta })];
}

function section(title, value, isOpen = false) {
  return el("details", { open: isOpen }, el("summary", {}, title), block(shown(value, 60_000), title));
}

function part(one) {
  if (one?.type === "text") return block(String(one.text).slice(0, 60_000), "Text");
  if (one?.type === "image" && IMAGES.includes(one.mimeType) && typeof one.data === "string") {
    return el("img", { src: `data:${one.mimeType};base64,${one.data}`, alt: "An image from the tool" });
  }
  return block(shown(one), String(one?.type));
}

const tokens = (value) => Math.ceil(new TextEncoder().encode(JSON.stringify(value ?? null)).length / BYTES_A_TOKEN);

/** What the server says of single arguments: [path, words] each. */
export function complaints({ answer }) {
  if (!answer.result?.isError || !Array.isArray(answer.result.content)) return [];
  const text = answer.result.content.map((one) => (typeof one?.text === "string" ? one.text.slice(0, 4000) : "")).join("\n");
  return [...text.matchAll(/argument '([^'\n]{1,200})'(?: is (missing)|: ([^;\n]*))/g)].map(([, path, missing, words]) => [
    path,
    missing ? "This is required." : sentence(words),
  ]);
}

const sentence = (words) => `${words[0]?.toUpperCase() ?? ""}${words.slice(1)}.`;
