// What is shown of a value that somebody else made: as text, and never more of it than fits. A structured clone may be anything
// (50 MB in one string, a circle, a Map), and none of it is ever parsed or run.

/** The value as indented JSON, cut after about `limit` characters. */
export function shown(value, limit = 20_000) {
  const parts = [];
  let left = limit;
  const put = (text) => {
    if (left <= 0) return;
    parts.push(text.length > left ? text.slice(0, left) : text);
    left -= text.length;
    if (left <= 0) parts.push(" … (cut)");
  };
  const list = (open, close, entries, indent, write) => {
    put(open);
    let first = true;
    for (const entry of entries) {
      if (left <= 0) return;
      put(`${first ? "" : ","}\n${indent}  `);
      write(entry);
      first = false;
    }
    put(first ? close : `\n${indent}${close}`);
  };
  const write = (one, indent, depth) => {
    if (left <= 0) return;
    if (depth > 60) put('"… (too deep)"');
    else if (typeof one === "string") put(string(one));
    else if (Array.isArray(one)) list("[", "]", one, indent, (entry) => write(entry, `${indent}  `, depth + 1));
    else if (one && Object.getPrototypeOf(one) === Object.prototype)
      list("{", "}", keys(one), indent, (key) => {
        put(`${string(key)}: `);
        write(one[key], `${indent}  `, depth + 1);
      });
    else if (typeof one === "number" || typeof one === "boolean" || one === null) put(String(one));
    else put(`"(${named(one)})"`);
  };
  write(value, "", 0);
  return parts.join("");
}

/** About how many characters a value has; counted no farther than `limit`. */
export function weigh(value, limit) {
  let total = 0;
  const rest = [value];
  while (rest.length && total <= limit) {
    const one = rest.pop();
    total += 8;
    if (typeof one === "string") total += one.length;
    else if (Array.isArray(one)) {
      total += one.length * 2;
      if (total <= limit) for (const entry of one) rest.push(entry);
    } else if (one && typeof one === "object") {
      if (one.byteLength ?? one.size) total += one.byteLength ?? one.size;
      for (const key of keys(one)) {
        total += key.length;
        if (total > limit) break;
        rest.push(one[key]);
      }
    }
  }
  return total;
}

/** A copy as JSON would carry it. Throws where a value has no JSON form. */
export const plain = (value) => JSON.parse(JSON.stringify(value ?? null));

function* keys(one) {
  for (const key in one) yield key;
}

const string = (text) => JSON.stringify(text.length > 4000 ? `${text.slice(0, 4000)}… (${text.length} characters)` : text);

const named = (one) => (one === undefined ? "undefined" : Object.prototype.toString.call(one).slice(8, -1));
