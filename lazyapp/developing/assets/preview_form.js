// A form made from the input schema of a tool. A field that is left empty is left out of the arguments, so the tool's default holds.
import { el, newId } from "./preview_dom.js";
import { choicesOf, parsed, read } from "./preview_schema.js";

const ABSENT = Symbol("absent");

/** {element, read() -> {value, problems}, fill(value), tell(path, words), clear()} for the arguments of a tool. */
export function formFor(schema) {
  const root = schema ?? {};
  const body = group(root, root, "", 0, []);
  const element = el("div", { class: "fields" }, body.element);
  if (!body.fields.size) element.append(el("p", { class: "soft" }, "This tool takes no arguments."));
  return {
    element,
    read: () => {
      const problems = [];
      const value = body.read(problems, true);
      return { value: value === ABSENT ? {} : value, problems };
    },
    fill: (value) => body.fill(value ?? {}),
    tell: (path, words) => body.tell(path.split(".").filter(Boolean), words),
    clear: () => body.clear(),
  };
}

function field(name, schema, root, isRequired, depth, seen) {
  const found = read(schema, root, depth, seen);
  const { title: given } = found.schema;
  const words = typeof given === "string" && given && given !== name ? [given, el("code", { class: "soft" }, ` ${name}`)] : [name];
  const title = el("span", {}, ...words, isRequired ? el("span", { class: "wrong", title: "required" }, " *") : "");
  if (found.kind === "group") return section(title, found, root, isRequired, depth);
  if (found.kind === "list") return list(title, name, found, root, isRequired, depth);
  return leaf(title, found, isRequired);
}

function group(schema, root, prefix, depth, seen) {
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const fields = new Map(
    Object.entries(schema.properties ?? {}).map(([name, node]) => [name, field(name, node, root, required.has(name), depth + 1, seen)]),
  );
  return {
    fields,
    element: el("div", {}, ...[...fields.values()].map((one) => one.element)),
    read: (problems, isWanted) => {
      const inner = [];
      const value = {};
      for (const [name, one] of fields) {
        const found = one.read(inner, true);
        if (found !== ABSENT) value[name] = found;
      }
      if (!isWanted && !Object.keys(value).length) {
        for (const one of fields.values()) one.clear();
        return ABSENT;
      }
      problems.push(...inner);
      return value;
    },
    fill: (value) => {
      for (const [name, one] of fields) one.fill(value && typeof value === "object" && Object.hasOwn(value, name) ? value[name] : undefined);
    },
    tell: ([name, ...rest], words) => (fields.get(name) ? fields.get(name).tell(rest, words) : false),
    clear: () => fields.forEach((one) => one.clear()),
  };
}

function section(title, { schema, seen }, root, isRequired, depth) {
  const body = group(schema, root, "", depth, seen);
  const { error, say } = complaint();
  const element = el("fieldset", {}, el("legend", {}, title), about(schema), error, body.element);
  return {
    element,
    read: (problems) => body.read(problems, isRequired),
    fill: body.fill,
    tell: (path, words) => (path.length && body.tell(path, words)) || say(words),
    clear: () => (say(""), body.clear()),
  };
}

function list(title, name, { schema, seen }, root, isRequired, depth) {
  const rows = [];
  const items = el("div", {});
  const { error, say } = complaint();
  const add = (value) => {
    const one = field(`${name} ${rows.length + 1}`, schema.items, root, true, depth + 1, seen);
    const row = el("div", { class: "item" }, one.element);
    const remove = el("button", { type: "button", "aria-label": `Remove one of ${name}` }, "Remove");
    remove.addEventListener("click", () => {
      rows.splice(rows.indexOf(one), 1);
      row.remove();
      adder.focus();
    });
    row.append(remove);
    if (value !== undefined) one.fill(value);
    rows.push(one);
    items.append(row);
    return row;
  };
  const adder = el("button", { type: "button", onclick: () => add().querySelector("input, select, textarea")?.focus() }, `Add to ${name}`);
  const element = el("fieldset", {}, el("legend", {}, title), about(schema), error, items, adder);
  return {
    element,
    read: (problems) => {
      say("");
      if (!rows.length && !isRequired) return ABSENT;
      const values = rows.map((one) => one.read(problems, true)).filter((value) => value !== ABSENT);
      if (schema.minItems > values.length) problems.push(say(`At least ${schema.minItems}.`));
      if (schema.maxItems < values.length) problems.push(say(`At most ${schema.maxItems}.`));
      return values;
    },
    fill: (value) => {
      rows.length = 0;
      items.replaceChildren();
      for (const one of Array.isArray(value) ? value.slice(0, 200) : []) add(one);
    },
    tell: ([at, ...rest], words) => (rows[Number(at)] ? rows[Number(at)].tell(rest, words) : say(words)),
    clear: () => (say(""), rows.forEach((one) => one.clear())),
  };
}

function leaf(title, { kind, schema }, isRequired) {
  const id = newId("field");
  const { error, say } = complaint(id);
  const { control, text, put } = controlFor(kind, schema, isRequired, id);
  const hint = about(schema, kind === "json" ? "As JSON." : "");
  if (hint) hint.id = `${id}-about`;
  control.setAttribute("aria-describedby", [hint && hint.id, error.id].filter(Boolean).join(" "));
  if (isRequired) control.setAttribute("aria-required", "true");
  const complain = (words) => {
    if (words) control.setAttribute("aria-invalid", "true");
    else control.removeAttribute("aria-invalid");
    return say(words);
  };
  control.addEventListener("input", () => complain(""));
  return {
    element: el("div", { class: "field" }, el("label", { for: id }, title), control, hint, error),
    read: (problems) => {
      complain("");
      const given = text();
      if (given === "") {
        if (isRequired) problems.push(complain("This is required."));
        return ABSENT;
      }
      const { value, problem } = kind === "choice" || kind === "boolean" ? { value: JSON.parse(given) } : parsed(kind, schema, given);
      if (problem) problems.push(complain(problem));
      return problem ? ABSENT : value;
    },
    fill: put,
    tell: (_, words) => complain(words),
    clear: () => complain(""),
  };
}

function controlFor(kind, schema, isRequired, id) {
  if (kind === "choice" || kind === "boolean") {
    const choices = kind === "boolean" ? [true, false].map((value) => [value, String(value)]) : choicesOf(schema);
    const none = isRequired ? "choose …" : "default" in schema ? `left out (${JSON.stringify(schema.default)})` : "left out";
    const options = choices.map(([value, words]) => el("option", { value: JSON.stringify(value) }, words));
    const control = el("select", { id }, el("option", { value: "" }, none), ...options);
    if (isRequired && "default" in schema) control.value = JSON.stringify(schema.default);
    const put = (value) => (control.value = value === undefined || value === null ? "" : JSON.stringify(value));
    return { control, text: () => control.value, put };
  }
  const isLong = kind === "json" || schema.maxLength > 200;
  const types = { date: "date", email: "email", uri: "url", password: "password" };
  const given = { id, placeholder: hintOf(schema), spellcheck: "false", autocomplete: "off" };
  const control = isLong
    ? el("textarea", { ...given, rows: kind === "json" ? 3 : 4 })
    : el("input", { ...given, type: (kind === "text" && types[schema.format]) || "text", inputmode: kind === "text" ? undefined : "decimal" });
  const put = (value) => {
    if (value === undefined) control.value = "";
    else control.value = kind === "json" ? JSON.stringify(value, null, 2) : typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  };
  return { control, text: () => control.value, put };
}

function hintOf(schema) {
  if ("default" in schema && schema.default !== null) return typeof schema.default === "string" ? schema.default : JSON.stringify(schema.default);
  if (schema.format === "date-time") return "2026-01-31T09:00:00Z";
  return schema.examples?.length ? String(schema.examples[0]) : "";
}

const about = (schema, more = "") => {
  const words = [schema.description, more].filter((word) => typeof word === "string" && word).join(" ");
  return words ? el("p", { class: "soft" }, words) : null;
};

function complaint(id = newId("group")) {
  const error = el("p", { class: "wrong", id: `${id}-error`, "aria-live": "polite" });
  error.hidden = true;
  const say = (words) => {
    error.textContent = words;
    error.hidden = !words;
    return words || true;
  };
  return { error, say };
}
