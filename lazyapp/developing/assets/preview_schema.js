// What a JSON Schema means for a form: one kind a field, or "json" for whatever a form cannot say.

const MAX_DEPTH = 5;

/** {kind, schema, seen}: kind is text, integer, number, boolean, choice, list, group or json. */
export function read(schema, root, depth = 0, seen = []) {
  const found = resolved(schema, root, seen);
  if (!found || depth > MAX_DEPTH) return { kind: "json", schema: schema && typeof schema === "object" ? schema : {}, seen };
  const { node, refs } = found;
  return { kind: kindOf(node), schema: node, seen: refs };
}

function kindOf(node) {
  if (Array.isArray(node.enum) && node.enum.length && node.enum.length <= 200) return "choice";
  if ("const" in node || titled(node)) return "choice";
  if (node.anyOf || node.oneOf || node.allOf || node.not || node.if) return "json";
  switch (node.type) {
    case "string":
      return "text";
    case "integer":
    case "number":
    case "boolean":
      return node.type;
    case "array":
      return node.items && typeof node.items === "object" && !node.prefixItems ? "list" : "json";
    case "object":
      return isGroup(node) ? "group" : "json";
    default:
      return "json";
  }
}

/** Choices with titles, `oneOf: [{const, title}, …]`; nothing where it is something else. */
function titled(node) {
  const options = node.oneOf ?? node.anyOf;
  const isList = Array.isArray(options) && options.length > 0 && options.length <= 200;
  return isList && options.every((option) => option && typeof option === "object" && "const" in option) ? options : null;
}

/** The values of a choice, each with the words for it. */
export function choicesOf(node) {
  const options = titled(node);
  if (options) return options.map((option) => [option.const, String(option.title ?? wordsFor(option.const))]);
  return (node.enum ?? [node.const]).map((value, at) => [value, String(node.enumNames?.[at] ?? wordsFor(value))]);
}

const wordsFor = (value) => (typeof value === "string" ? value : JSON.stringify(value));

const isGroup = (node) => Object.keys(node.properties ?? {}).length > 0 && !hasMore(node) && !node.patternProperties;

const hasMore = (node) => node.additionalProperties !== undefined && node.additionalProperties !== false;

/** The schema behind references and behind "or null"; nothing where it is recursive or says several things. */
function resolved(schema, root, seen) {
  let node = schema;
  let refs = seen;
  for (let step = 0; step < 20; step++) {
    if (!node || typeof node !== "object" || Array.isArray(node)) return null;
    const { $ref, ...rest } = node;
    if (typeof $ref === "string") {
      if (refs.includes($ref)) return null;
      refs = [...refs, $ref];
      const target = pointed($ref, root);
      if (!target) return null;
      node = { ...target, ...rest };
    } else if (Array.isArray(node.type)) {
      const types = node.type.filter((type) => type !== "null");
      if (types.length !== 1) return null;
      node = { ...node, type: types[0], ...(node.enum && { enum: node.enum.filter((value) => value !== null) }) };
    } else {
      const choices = node.anyOf ?? node.oneOf ?? (node.allOf?.length === 1 ? node.allOf : null);
      const others = choices?.filter((choice) => choice?.type !== "null");
      if (others?.length !== 1) return { node, refs };
      const { anyOf, oneOf, allOf, ...more } = node;
      node = { ...others[0], ...more };
    }
  }
  return null;
}

function pointed(ref, root) {
  if (!ref.startsWith("#/")) return null;
  let node = root;
  for (const part of ref.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (!node || typeof node !== "object" || !Object.hasOwn(node, key)) return null;
    node = node[key];
  }
  return node;
}

/** What is wrong with a text as a value of this kind: {value} or {problem}. */
export function parsed(kind, schema, text) {
  if (kind === "json") {
    try {
      return { value: JSON.parse(text) };
    } catch (problem) {
      return { problem: `This is no JSON: ${problem.message}` };
    }
  }
  if (kind === "integer" || kind === "number") return number(kind, schema, text.trim());
  if (schema.minLength > [...text].length) return { problem: `At least ${schema.minLength} characters.` };
  if (schema.maxLength < [...text].length) return { problem: `At most ${schema.maxLength} characters.` };
  return { value: text };
}

function number(kind, schema, text) {
  const shape = kind === "integer" ? /^[+-]?\d+$/ : /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
  if (!shape.test(text)) return { problem: kind === "integer" ? "A whole number, such as 42." : "A number, such as 4.2." };
  const value = Number(text);
  if (!Number.isFinite(value)) return { problem: "This number is too large." };
  if (schema.minimum !== undefined && value < schema.minimum) return { problem: `At least ${schema.minimum}.` };
  if (schema.maximum !== undefined && value > schema.maximum) return { problem: `At most ${schema.maximum}.` };
  if (schema.exclusiveMinimum !== undefined && value <= schema.exclusiveMinimum) return { problem: `More than ${schema.exclusiveMinimum}.` };
  if (schema.exclusiveMaximum !== undefined && value >= schema.exclusiveMaximum) return { problem: `Less than ${schema.exclusiveMaximum}.` };
  return { value };
}
