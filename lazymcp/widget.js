/*
 * lazy: what a page needs to be an MCP App.
 *
 *   lazy.onResult(({data, meta, content, isError}) => ...)   the tool's result; `data` is its structuredContent, `meta` its _meta
 *   lazy.onInput(({args, partial}) => ...)                   the tool's arguments, perhaps while the model still writes them
 *   lazy.onCancel((reason) => ...)                           the tool call was cancelled
 *   lazy.onContext((context) => ...)                         theme, locale, display mode and what else the host tells
 *   lazy.onTeardown(async () => ...)                         the page is about to go; the host waits
 *   await lazy.call("admin.user_count", {active: true})      call a tool of the same server; gives what onResult gives
 *   await lazy.openLink("https://example.com")               open a link outside
 *   await lazy.say("Show me the inactive ones")              a message in the conversation, in the user's name
 *   await lazy.tell("Two rows are selected", {rows: [1, 2]}) what the model knows of the page from its next turn on
 *   await lazy.display("fullscreen")                         "inline", "fullscreen" or "pip"; gives the mode that it became
 *   lazy.close()                                             ask the host to put the page away
 *   await lazy.request(method, params)                       anything else of the protocol, such as resources/read
 *   lazy.theme, lazy.context                                 "light", "dark" or undefined; the host's context so far
 *
 * Whoever subscribes late is told the latest at once. Each on...() returns a function that unsubscribes. What the host refuses
 * is an exception. The root element bears data-theme and data-display-mode, the host's style variables, and --safe-top and its kin.
 *
 * It speaks the protocol of MCP Apps (SEP-1865, revision 2026-01-26) with the window that embeds the page. Until that window
 * answers, and in hosts that never do, it uses ChatGPT's window.openai where there is one.
 */
const lazy = (() => {
  "use strict";

  const REVISION = "2026-01-26";
  const root = document.documentElement;
  const host = window.parent === window ? null : window.parent;

  // ---------------------------------------------------------------------------------------------------- subscriptions

  /** Something that happens; the latest is kept for those who subscribe later. */
  function signal() {
    const listeners = new Set();
    let latest;
    const on = (listener) => {
      listeners.add(listener);
      if (latest) listener(...latest);
      return () => listeners.delete(listener);
    };
    on.emit = (...values) => {
      latest = values;
      return [...listeners].map((listener) => {
        try {
          return listener(...values);
        } catch (problem) {
          console.error(problem); // one careless listener must not keep the others in the dark
        }
      });
    };
    return on;
  }

  const onResult = signal();
  const onInput = signal();
  const onCancel = signal();
  const onContext = signal();
  const onTeardown = signal();

  const asResult = (result) => ({
    data: result?.structuredContent,
    meta: result?._meta ?? {},
    content: result?.content ?? [],
    isError: result?.isError ?? false,
  });

  // --------------------------------------------------------------------------------------------------------- JSON-RPC

  const waiting = new Map(); // request id -> {resolve, reject}
  let lastId = 0;

  // The host's origin is not ours to know (a sandbox has none), and what is sent holds nothing a page may not tell its host.
  const post = (message) => host?.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const notify = (method, params = {}) => post({ method, params });

  function ask(method, params = {}) {
    if (!host) return Promise.reject(new Error("this page is not embedded in an MCP host"));
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      post({ id, method, params });
    });
  }

  /** What the host may tell us. */
  const notifications = {
    "ui/notifications/tool-input": ({ arguments: args }) => onInput.emit({ args: args ?? {}, partial: false }),
    "ui/notifications/tool-input-partial": ({ arguments: args }) => onInput.emit({ args: args ?? {}, partial: true }),
    "ui/notifications/tool-result": (result) => onResult.emit(asResult(result)),
    "ui/notifications/tool-cancelled": ({ reason }) => onCancel.emit(reason),
    "ui/notifications/host-context-changed": (changes) => updateContext(changes),
  };

  /** What the host may ask us. */
  const requests = {
    ping: async () => ({}),
    "ui/resource-teardown": async (params) => {
      await Promise.allSettled(onTeardown.emit(params));
      observer.disconnect();
      return {};
    },
  };

  async function answer(id, method, params) {
    const error = (code, message) => post({ id, error: { code, message } });
    if (!Object.hasOwn(requests, method)) return error(-32601, `method not found: ${method}`);
    try {
      post({ id, result: await requests[method](params) });
    } catch (problem) {
      error(-32603, String(problem));
    }
  }

  function settle({ id, result, error }) {
    const request = waiting.get(id);
    waiting.delete(id);
    if (error) request?.reject(Object.assign(new Error(error.message), { code: error.code, data: error.data }));
    else request?.resolve(result);
  }

  window.addEventListener("message", ({ source, data }) => {
    // Frames beside us, and those inside us, can post here too; only the host's window is believed.
    if (!host || source !== host || data?.jsonrpc !== "2.0") return;
    const { id, method, params = {} } = data;
    if (method === undefined) settle(data);
    else if (id !== undefined) answer(id, method, params);
    else if (Object.hasOwn(notifications, method)) notifications[method](params);
  });

  // ---------------------------------------------------------------------------------------------------------- context

  let context = {};
  const fonts = document.createElement("style");

  function updateContext(changes) {
    context = { ...context, ...changes };
    if (context.theme) {
      root.dataset.theme = context.theme;
      root.style.colorScheme = context.theme;
    }
    if (context.displayMode) root.dataset.displayMode = context.displayMode;
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      if (name.startsWith("--") && value) root.style.setProperty(name, value);
    }
    for (const [side, pixels] of Object.entries(context.safeAreaInsets ?? {})) root.style.setProperty(`--safe-${side}`, `${pixels}px`);
    if (context.styles?.css?.fonts) {
      fonts.textContent = context.styles.css.fonts;
      document.head.append(fonts);
    }
    onContext.emit(context);
  }

  // ------------------------------------------------------------------------------------------------------------- size

  let reported = "";

  function reportSize() {
    const { width, height } = root.getBoundingClientRect();
    const size = { width: Math.ceil(width), height: Math.ceil(height) };
    if (reported === `${size.width}x${size.height}`) return;
    reported = `${size.width}x${size.height}`;
    if (isConnected) notify("ui/notifications/size-changed", size);
    else window.openai?.notifyIntrinsicHeight?.(size.height);
  }

  // Outside the observer's own turn: what the page changes in answer would go unnoticed.
  const observer = new ResizeObserver(() => requestAnimationFrame(reportSize));

  // --------------------------------------------------------------------------------------------------- ChatGPT's bridge

  let isConnected = false; // the host has answered in the standard's protocol, so the bridge below is not needed

  /** window.openai holds the state of things; `changed` are the values that an event says are new. */
  function readBridge(changed) {
    if (isConnected || !changed) return;
    const { theme, locale, displayMode, toolInput, toolOutput, toolResponseMetadata: envelope } = changed;
    const told = Object.entries({ theme, locale, displayMode }).filter(([, value]) => value != null);
    if (told.length) updateContext(Object.fromEntries(told));
    if (toolInput != null) onInput.emit({ args: toolInput, partial: false });
    // A result may have nothing but metadata. An event may bring one half: the other is where it was.
    if (toolOutput != null || envelope != null) {
      const meta = envelope ?? window.openai?.toolResponseMetadata;
      onResult.emit(
        asResult({ structuredContent: toolOutput ?? window.openai?.toolOutput, _meta: meta?._meta ?? meta, content: meta?.content }),
      );
    }
  }

  window.addEventListener("openai:set_globals", ({ detail }) => readBridge(detail?.globals));

  /** Ask by the protocol, or by the bridge's function of this name while the host has not answered. */
  async function either(method, params, name, ...values) {
    const bridge = window.openai?.[name];
    if (!isConnected && bridge) return bridge.apply(window.openai, values);
    await connected;
    const result = await ask(method, params);
    // A tool that fails is news for the page; a host that refuses is an exception.
    if (result?.isError && method !== "tools/call") throw new Error(`the host refused ${method}`);
    return result;
  }

  // ------------------------------------------------------------------------------------------------------------ begin

  async function connect() {
    const appInfo = { name: document.title || "app", version: "1.0.0" };
    const modes = root.dataset.displayModes;
    const appCapabilities = modes ? { availableDisplayModes: modes.split(" ") } : {};
    const { hostContext } = await ask("ui/initialize", { appInfo, appCapabilities, protocolVersion: REVISION });
    isConnected = true;
    updateContext(hostContext ?? {});
    notify("ui/notifications/initialized"); // from here the host may speak
    reported = "";
    reportSize();
  }

  const connected = connect();
  connected.catch((problem) => window.openai || console.warn(`lazy: ${problem.message}`));
  readBridge(window.openai);
  observer.observe(root);

  return Object.freeze({
    onResult,
    onInput,
    onCancel,
    onContext,
    onTeardown,
    call: async (name, args = {}) => asResult(await either("tools/call", { name, arguments: args }, "callTool", name, args)),
    openLink: (url) => either("ui/open-link", { url }, "openExternal", { href: url }),
    say: (text) => either("ui/message", { role: "user", content: [{ type: "text", text }] }, "sendFollowUpMessage", { prompt: text }),
    tell: (text, structuredContent) =>
      lazy.request("ui/update-model-context", { content: [{ type: "text", text }], ...(structuredContent && { structuredContent }) }),
    display: async (mode) => (await either("ui/request-display-mode", { mode }, "requestDisplayMode", { mode }))?.mode,
    close: () => {
      if (isConnected) notify("ui/notifications/request-teardown");
      else window.openai?.requestClose?.();
    },
    request: async (method, params) => {
      await connected;
      return ask(method, params);
    },
    get theme() {
      return context.theme;
    },
    get context() {
      return context;
    },
  });
})();
