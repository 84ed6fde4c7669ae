// Refreshes a page once when what it shows has changed. Development only; /_lazy/changes tells what is new.
"use strict";
(() => {
  const here = document.currentScript.dataset;
  const key = "lazyapp refreshed";
  let stream = null;
  let timer = 0;
  let isTold = false;
  const touched = new Set();

  function connect() {
    clearTimeout(timer);
    if (stream !== null || isTold || document.visibilityState === "hidden") return;
    stream = new EventSource("/_lazy/changes");
    stream.onmessage = (event) => event.data !== here.at && outdated(event.data);
    stream.onerror = () => {
      if (stream === null || stream.readyState !== EventSource.CLOSED) return; // it tries again by itself
      leave();
      timer = setTimeout(connect, 500);
    };
  }

  function leave() {
    clearTimeout(timer);
    if (stream !== null) stream.close();
    stream = null;
  }

  function outdated(now) {
    // A copy that the browser keeps would be out of date again, and for ever.
    const mark = `${now} ${location.href}`;
    if (recall() === mark) return;
    leave();
    isTold = true;
    if ("posted" in here || [...touched].some(isChanged)) return tell(mark);
    refresh(mark);
  }

  function refresh(mark) {
    try { sessionStorage.setItem(key, mark); } catch { /* storage may be forbidden; then nothing is remembered */ }
    location.reload();
  }

  function recall() {
    try { return sessionStorage.getItem(key); } catch { return null; }
  }

  function isChanged(field) {
    if (!field.isConnected) return false;
    if (field.isContentEditable) return true;
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (field instanceof HTMLSelectElement) return [...field.options].some((option) => option.selected !== option.defaultSelected);
    return field.value !== field.defaultValue;
  }

  function tell(mark) {
    const host = document.createElement("div");
    const root = host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(`
      :host { all: initial; position: fixed; z-index: 2147483647; inset: auto 1rem 1rem auto; max-width: min(26rem, calc(100vw - 2rem));
        color-scheme: light dark; }
      div { padding: .875rem 1rem; border: 1px solid light-dark(#7d8781, #77817b); border-radius: .625rem; background: light-dark(#fff, #1b1f1d);
        color: light-dark(#1b1f1d, #e7eae6); font: 1rem/1.45 system-ui, sans-serif; box-shadow: 0 .5rem 1.5rem #0003; }
      p { margin: 0 0 .75rem; }
      button { min-height: 2.25rem; margin-right: .5rem; padding: .25rem .875rem; border: 1px solid light-dark(#7d8781, #77817b);
        border-radius: .375rem; background: transparent; color: inherit; font: inherit; cursor: pointer; }
      button:focus-visible { outline: 2px solid light-dark(#0b5d8a, #8cc8ee); outline-offset: 2px; }`);
    root.adoptedStyleSheets = [style];
    const box = document.createElement("div");
    box.setAttribute("role", "status");
    const words = document.createElement("p");
    words.textContent = "posted" in here
      ? "The application has changed. This page answers a form, so it was left as it is."
      : "The application has changed. This page was left as it is, because you have filled in a form.";
    box.append(words, button("Refresh", () => refresh(mark)), button("Not now", () => host.remove()));
    root.append(box);
    document.body.append(host);
  }

  function button(name, act) {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = name;
    made.addEventListener("click", act);
    return made;
  }

  for (const kind of ["input", "change"]) {
    document.addEventListener(kind, (event) => event.isTrusted && touched.add(event.target), true);
  }
  document.addEventListener("submit", (event) => { for (const field of event.target.elements) touched.delete(field); }, true);
  // A browser opens six connections to one address: those of hidden tabs would hold up the one that is looked at.
  document.addEventListener("visibilitychange", () => (document.visibilityState === "hidden" ? leave() : connect()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", connect);
  connect();
})();
