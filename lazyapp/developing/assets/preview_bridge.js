// One widget in its frame, and the JSON-RPC between it and us. SEP-1865 (revision 2026-01-26), "Communication Protocol".
// The widget may be hostile: only the frame's own window is believed to be it, what is too large or too much is not read, and
// whoever leaves the document that we served is cut off.
import { el } from "./preview_dom.js";
import { plain, weigh } from "./preview_shown.js";

const MAX_WEIGHT = 4_000_000; // characters of one message
const MAX_A_SECOND = 300;
const MAX_AT_ONCE = 16;
const TEARDOWN_MS = 1000;

/** An error that the widget is told. */
export class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export class Bridge {
  /**
   * @param {{url: string, allow: string, title: string, holder: Element, log: Log,
   *   requests: Record<string, Function>, notifications: Record<string, Function>,
   *   onReport: Function, onStop: Function, isDeaf: boolean}} given what it is made of: `requests` answer, `notifications` hear,
   *   `onReport` is told what our own script in the document tells, `onStop` why the widget was stopped; a deaf host does not
   *   answer what it does not know, instead of refusing it.
   */
  constructor(given) {
    Object.assign(this, given);
    this.waiting = new Map();
    this.lastId = 0;
    this.atWork = 0;
    this.counted = { second: 0, messages: 0, foreign: 0 };
    this.loads = 0;
    // Never allow-same-origin: with it the widget would be this page.
    this.frame = el("iframe", {
      sandbox: "allow-scripts allow-forms",
      allow: this.allow,
      referrerpolicy: "no-referrer",
      title: this.title,
      src: this.url,
    });
    this.frame.addEventListener("load", () => {
      if (++this.loads > 1) this.stop("The widget left its own document, by a link or a form, so it was cut off.");
    });
    this.listen = (event) => this.hear(event);
    window.addEventListener("message", this.listen);
    this.holder.replaceChildren(this.frame);
  }

  hear(event) {
    if (event.source !== this.frame.contentWindow) {
      // Frames within the widget, other windows: whoever they say they are, they are not the widget.
      if (++this.counted.foreign === 1) this.log.add("host", "ignored a message from another window", undefined, true);
      return;
    }
    if (this.isFlood()) return;
    const { data } = event;
    if (!data || typeof data !== "object") return this.log.add("from", "ignored: no JSON-RPC", data);
    if (typeof data.lazyapp === "string") return this.onReport(data);
    const weight = weigh(data, MAX_WEIGHT);
    const name = typeof data.method === "string" ? data.method : data.error ? "error" : "result";
    if (weight > MAX_WEIGHT) {
      this.log.add("from", `${name}: larger than ${MAX_WEIGHT} characters, not read`, undefined, true);
      return this.isId(data.id) && data.method ? this.post({ id: data.id, error: { code: -32600, message: "the message is too large" } }) : undefined;
    }
    this.log.add("from", name, data, Boolean(data.error));
    if (data.jsonrpc !== "2.0") return undefined;
    if (typeof data.method !== "string") return this.settle(data);
    return this.isId(data.id) ? this.answer(data) : this.notice(data);
  }

  isFlood() {
    const second = Math.floor(performance.now() / 1000);
    if (second !== this.counted.second) Object.assign(this.counted, { second, messages: 0 });
    if (++this.counted.messages <= MAX_A_SECOND) return false;
    this.stop(`The widget sent more than ${MAX_A_SECOND} messages in a second, so it was stopped.`);
    return true;
  }

  isId(id) {
    return typeof id === "number" || (typeof id === "string" && id.length <= 200);
  }

  async answer({ id, method, params }) {
    if (this.isDeaf && !Object.hasOwn(this.requests, method)) return this.log.add("host", `not answered: ${method}`);
    try {
      if (!Object.hasOwn(this.requests, method)) throw new Refusal(-32601, `this host has no method ${method}`);
      if (this.atWork >= MAX_AT_ONCE) throw new Refusal(-32000, `more than ${MAX_AT_ONCE} requests at once`);
      this.atWork++;
      try {
        this.post({ id, result: await this.requests[method](object(params)) });
      } finally {
        this.atWork--;
      }
    } catch (problem) {
      this.post({ id, error: { code: problem.code ?? -32603, message: problem.message } });
    }
  }

  notice({ method, params }) {
    if (Object.hasOwn(this.notifications, method)) this.notifications[method](object(params));
  }

  settle({ id, result, error }) {
    const request = this.waiting.get(id);
    this.waiting.delete(id);
    if (error) request?.reject(new Error(String(error.message)));
    else request?.resolve(result);
  }

  post(message) {
    if (this.isStopped) return;
    const name = message.method ?? (message.error ? "error" : "result");
    this.log.add("to", name, message, Boolean(message.error));
    // The frame's origin is opaque, so no other target can be named; its window is ours to know.
    this.frame.contentWindow?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  notify(method, params) {
    this.post({ method, params });
  }

  ask(method, params) {
    const id = `host-${++this.lastId}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post({ id, method, params });
    });
  }

  /** End it as hosts do: ask it to put its things away, wait a little, take the frame out. */
  async end(isReady) {
    if (this.isStopped) return;
    if (isReady) {
      const late = new Promise((resolve) => setTimeout(resolve, TEARDOWN_MS));
      await Promise.race([this.ask("ui/resource-teardown", {}).catch(() => {}), late]);
    }
    this.remove();
  }

  stop(why) {
    if (this.isStopped) return;
    this.remove();
    this.onStop(why);
  }

  remove() {
    this.isStopped = true;
    window.removeEventListener("message", this.listen);
    this.frame.remove();
  }
}

function object(params) {
  try {
    const found = plain(params);
    if (found === null) return {};
    if (typeof found === "object" && !Array.isArray(found)) return found;
  } catch {
    // falls through: a circle, a BigInt
  }
  throw new Refusal(-32602, "params must be a JSON object");
}
