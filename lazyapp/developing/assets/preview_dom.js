// Making elements. Text goes in as text: nothing here, or in any other script of the preview, makes HTML of what somebody sent.

let last = 0;

/** An id that no other element has. */
export const newId = (name) => `${name}-${++last}`;

/** An element with attributes (`onclick` and its kin as functions; false and undefined leave one out) and children. */
export function el(tag, given = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== undefined && value !== null) made.setAttribute(name, String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** The element of this id in the page. */
export const byId = (id) => document.getElementById(id);

/** A block of text as it stands, which the keyboard can scroll. */
export const block = (text, label) =>
  el("pre", { tabindex: "0", role: "region", "aria-label": label }, el("code", {}, text));
