// The message log: the newest entries, each as bounded text. An entry's text is made when it comes, so nothing hostile is kept alive.
import { byId, el } from "./preview_dom.js";
import { shown } from "./preview_shown.js";

const KEPT = 300;
const WAYS = { from: "← widget", to: "→ widget", server: "⇄ server", host: "preview" };

export class Log {
  constructor() {
    this.list = byId("log");
    this.entries = [];
    this.total = 0;
    this.waiting = [];
    byId("log-filter").addEventListener("input", () => this.filter());
    byId("log-way").addEventListener("change", () => this.filter());
    byId("log-clear").addEventListener("click", () => this.clear());
  }

  /** One message. `way` is from (the widget), to (the widget), server or host. */
  add(way, title, value, isWrong = false) {
    const name = String(title).slice(0, 120);
    this.waiting.push({ way, name, text: value === undefined ? "" : shown(value), time: new Date(), isWrong });
    if (this.waiting.length > KEPT) this.waiting.shift();
    this.total++;
    if (this.waiting.length === 1 || !this.isDue) {
      this.isDue = true;
      requestAnimationFrame(() => this.draw());
    }
  }

  draw() {
    this.isDue = false;
    for (const entry of this.waiting.splice(0)) {
      const element = this.row(entry);
      this.entries.push({ ...entry, element });
      this.list.append(element);
    }
    for (const old of this.entries.splice(0, Math.max(0, this.entries.length - KEPT))) old.element.remove();
    this.filter();
  }

  row({ way, name, text, time, isWrong }) {
    const told = time.toLocaleTimeString("en-GB", { hour12: false }) + "." + String(time.getMilliseconds()).padStart(3, "0");
    const head = [el("span", { class: `way ${way}` }, WAYS[way]), el("code", { class: isWrong ? "wrong" : "" }, name), el("time", { class: "soft" }, told)];
    if (!text) return el("li", { class: "plain" }, ...head);
    return el("li", {}, el("details", {}, el("summary", {}, ...head), el("pre", { tabindex: "0", "aria-label": name, role: "region" }, el("code", {}, text))));
  }

  filter() {
    const wanted = byId("log-filter").value.trim().toLowerCase();
    const way = byId("log-way").value;
    let seen = 0;
    for (const entry of this.entries) {
      const fits = (!way || entry.way === way) && (!wanted || `${entry.name} ${entry.text}`.toLowerCase().includes(wanted));
      entry.element.hidden = !fits;
      seen += fits;
    }
    const dropped = this.total - this.entries.length;
    byId("log-count").textContent = `${seen} of ${this.total} messages${dropped > 0 ? `, the last ${KEPT} kept` : ""}`;
  }

  clear() {
    this.entries.splice(0).forEach((entry) => entry.element.remove());
    this.total = 0;
    this.filter();
  }
}
