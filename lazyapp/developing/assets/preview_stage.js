// What the widget stands on: one frame at a time, what the host knows for it, and what it made the host show.
import { ask } from "./preview_asking.js";
import { Bridge, Refusal } from "./preview_bridge.js";
import { breachIn } from "./preview_breach.js";
import { INLINE, MAX_HEIGHT, MODES, WIDTHS, globals, hostContext } from "./preview_context.js";
import { byId, el } from "./preview_dom.js";
import { openaiNotifications, openaiRequests, standardNotifications, standardRequests } from "./preview_host.js";
import { plain, shown } from "./preview_shown.js";
import * as wire from "./preview_wire.js";

const KEPT = 50;
const FIRST_HEIGHT = 320;

export class Stage {
  constructor(log, callerOf) {
    this.log = log;
    this.callerOf = callerOf;
    this.tools = [];
    this.look = { theme: "light", width: "inline", displayMode: "inline" };
    this.host = "standard";
    this.hasCsp = true;
    this.run = null; // {tool, uri, args, partials, result, cancelled}
    this.view = INLINE;
    this.under = null; // the run whose widget asked for the modal window that is shown
    this.turn = 0;
    new ResizeObserver(() => this.tellWidth()).observe(byId("stage"));
  }

  // ------------------------------------------------------------------------------------------------------ the frame

  /** Show the widget of a run, from its beginning. */
  async open(run, view = INLINE, under = null) {
    const turn = ++this.turn;
    await this.leave();
    if (turn !== this.turn) return;
    Object.assign(this, { run, view, under });
    this.can = {};
    this.look.displayMode = "inline";
    this.clearNotes();
    if (run?.uri) await this.load(turn);
    else this.empty(run ? "This tool has no widget." : "Call the tool to see its widget.");
  }

  empty(words) {
    byId("frame").style.height = "";
    byId("frame").replaceChildren(el("p", { class: "soft empty" }, words));
  }

  /** The same widget again, with what is known by now. */
  async reload() {
    if (!this.run?.uri) return;
    const { tool, uri, args, result, cancelled } = this.run;
    await this.open({ tool, uri, args, partials: [], result, cancelled }, this.view, this.under);
  }

  /** A modal window, in the place of the widget that asked for it: the same page or another of the server, which draws `view.params`. */
  async openModal(params, template) {
    if (!this.run || this.under) return this.note("The widget asked for a modal window within one; hosts show one at a time.");
    const under = this.run;
    await this.open({ ...under, uri: typeof template === "string" ? template : under.uri, partials: [] }, { mode: "modal", params }, under);
    this.say("A modal window; the widget comes back when it is closed", "", params);
  }

  /** The same, if what the server would send now differs from what is shown. */
  async refresh() {
    if (!this.run || !this.wanted) return;
    const found = await wire.frame(this.callerOf(), this.order(this.wanted.digest)).catch(() => null);
    if (found?.url) await this.reload();
  }

  order(known) {
    const { args, result } = this.run;
    const state = this.host === "openai" ? { ...globals(this.look, this.view), ...this.data(args, result), widgetState: this.state ?? null } : {};
    return { uri: this.run.uri, host: this.host, csp: this.hasCsp, state, known };
  }

  data(args, result) {
    return { toolInput: args, toolOutput: result?.structuredContent ?? null, toolResponseMetadata: result?._meta ?? null };
  }

  async load(turn) {
    let found;
    try {
      this.told = this.run.result;
      found = await wire.frame(this.callerOf(), this.order());
    } catch (problem) {
      return this.note(problem.message);
    }
    if (turn !== this.turn) return;
    this.wanted = found;
    byId("policy").textContent = this.hasCsp ? found.policy : "none: everything is allowed";
    found.problems.forEach((problem) => this.note(problem));
    this.showLook();
    this.resize(FIRST_HEIGHT);
    this.isReady = false;
    this.abort = new AbortController();
    this.bridge = new Bridge({
      url: found.url,
      allow: found.allow,
      title: `Widget of ${this.run.tool.name}`,
      holder: byId("frame"),
      log: this.log,
      requests: this.host === "openai" ? openaiRequests(this) : standardRequests(this),
      notifications: this.host === "openai" ? openaiNotifications(this) : standardNotifications(this),
      isDeaf: this.host === "openai",
      onReport: (report) => this.report(report),
      onStop: (why) => (this.note(why), this.empty("The widget is gone. “Load again” brings it back.")),
    });
  }

  /** The widget has introduced itself: from here on it is told things. */
  begin() {
    if (this.isReady) return;
    this.isReady = true;
    const { args, partials, result, cancelled } = this.run;
    // What window.openai held from the beginning is not told again.
    if (this.host === "openai") return result && result !== this.told && this.bridge.notify("openai/globals", this.data(args, result));
    for (const partial of partials) this.bridge.notify("ui/notifications/tool-input-partial", { arguments: partial });
    this.bridge.notify("ui/notifications/tool-input", { arguments: args });
    if (result) this.bridge.notify("ui/notifications/tool-result", result);
    else if (cancelled) this.bridge.notify("ui/notifications/tool-cancelled", { reason: cancelled });
  }

  /** The tool has answered. */
  finish(run, result) {
    run.result = result;
    if (run !== this.run || !this.bridge || !this.isReady) return;
    if (this.host === "openai") this.bridge.notify("openai/globals", this.data(run.args, result));
    else this.bridge.notify("ui/notifications/tool-result", result);
  }

  /** The call was cancelled. */
  cancel(run, reason) {
    run.cancelled = reason;
    if (run === this.run && this.isReady && this.host === "standard") this.bridge?.notify("ui/notifications/tool-cancelled", { reason });
  }

  async leave() {
    const { bridge } = this;
    // What it asked for is of no use to anybody any more.
    this.abort?.abort();
    this.bridge = null;
    this.wanted = null;
    await bridge?.end(this.isReady && this.host === "standard");
  }

  // ------------------------------------------------------------------------------------------- what the widget asks

  ask(method, params) {
    this.log.add("server", method, params);
    return ask(this.callerOf(), method, params, this.abort.signal).then(({ answer, ms }) => {
      this.log.add("server", `${method} answered in ${ms} ms`, answer, Boolean(answer.error || answer.result?.isError));
      if (answer.error) throw new Refusal(answer.error.code, answer.error.message);
      return answer.result;
    });
  }

  meet(can) {
    this.can = can && typeof can === "object" ? can : {};
  }

  context() {
    return hostContext(this.look, byId("frame").clientWidth, this.run.tool);
  }

  display(mode) {
    const offered = Array.isArray(this.can.availableDisplayModes) ? this.can.availableDisplayModes : MODES;
    if (MODES.includes(mode) && offered.includes(mode)) this.change({ displayMode: mode });
    else this.note(`The widget asked for the display mode ${String(mode).slice(0, 40)}, which it does not offer itself.`);
    return this.look.displayMode;
  }

  resize(height) {
    if (typeof height !== "number" || !(height >= 0)) return;
    this.height = Math.min(MAX_HEIGHT, Math.ceil(height));
    if (this.look.displayMode !== "fullscreen") byId("frame").style.height = `${Math.max(24, this.height)}px`;
  }

  close() {
    if (this.under) return void this.open({ ...this.under, partials: [] });
    this.note("The widget asked to be put away.");
    this.leave().then(() => this.empty("The widget is gone. “Load again” brings it back."));
  }

  remember(state) {
    this.state = plain(state);
    this.say("The widget remembers", "", this.state);
  }

  // ------------------------------------------------------------------------------------------------- the surroundings

  /** Change the theme, the width or the display mode, and tell the widget. */
  change(more) {
    Object.assign(this.look, more);
    this.showLook();
    if (!this.bridge || !this.isReady) return;
    if (this.host === "openai") this.bridge.notify("openai/globals", globals(this.look, this.view));
    else {
      const { toolInfo, ...context } = this.context();
      this.bridge.notify("ui/notifications/host-context-changed", context);
    }
  }

  showLook() {
    const { theme, width, displayMode } = this.look;
    const stage = byId("stage");
    stage.dataset.theme = theme;
    stage.dataset.mode = displayMode;
    stage.dataset.border = this.wanted?.meta?.ui?.prefersBorder === false ? "none" : "some";
    byId("frame").style.width = WIDTHS[width] && (displayMode !== "fullscreen" || width === "phone") ? `${WIDTHS[width]}px` : "100%";
    if (this.bridge || this.wanted) byId("frame").style.height = displayMode === "fullscreen" ? "640px" : `${Math.max(24, this.height ?? FIRST_HEIGHT)}px`;
    byId("mode").textContent = displayMode;
    this.seenWidth = byId("frame").clientWidth;
  }

  tellWidth() {
    const pixels = byId("frame").clientWidth;
    if (pixels && pixels !== this.seenWidth && this.isReady) this.change({});
  }

  // --------------------------------------------------------------------------------------------- what people are told

  note(words) {
    add("notes", el("li", {}, String(words).slice(0, 500)));
  }

  say(what, text, value) {
    const more = value === undefined ? null : el("pre", { tabindex: "0", role: "region", "aria-label": what }, el("code", {}, shown(value, 2000)));
    add("said", el("li", {}, el("span", { class: "soft" }, what), text ? el("p", { class: "spoken" }, text.slice(0, 2000)) : null, more));
  }

  offer(address) {
    const link = el("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, address.slice(0, 300));
    add("said", el("li", {}, el("span", { class: "soft" }, "Wants to open "), link));
  }

  report(report) {
    if (report.lazyapp === "breach") breachIn(byId("breaches"), report, this.host);
    else if (report.lazyapp === "error") this.note(`An error in the widget${report.line > 0 ? `, line ${Number(report.line)}` : ""}: ${String(report.message).slice(0, 400)}`);
    this.log.add("from", report.lazyapp === "breach" ? "blocked by the policy" : "error in the widget", report, true);
  }

  clearNotes() {
    for (const id of ["notes", "said", "breaches"]) {
      byId(id).replaceChildren();
      byId(id).parentElement.hidden = true;
    }
  }
}

function add(id, item) {
  const list = byId(id);
  list.append(item);
  while (list.children.length > KEPT) list.firstElementChild.remove();
  list.parentElement.hidden = false;
}
