// Comes first in every widget's document, whatever its host: tells the page of the preview what the policy blocked and what broke.
// It shares the document with the widget, so the page believes none of it; it only shows it.
(() => {
  "use strict";
  const host = window.parent;
  if (host === window) return;
  let told = 0;
  const text = (value) => String(value ?? "").slice(0, 1000);
  const tell = (kind, more) => {
    if (++told <= 100) host.postMessage({ lazyapp: kind, ...more }, "*");
  };
  addEventListener("securitypolicyviolation", (event) =>
    tell("breach", {
      directive: text(event.effectiveDirective),
      blocked: text(event.blockedURI),
      sample: text(event.sample),
      line: event.lineNumber,
    }),
  );
  addEventListener("error", (event) => {
    if (event instanceof ErrorEvent) tell("error", { message: text(event.message), line: event.lineno });
  });
  addEventListener("unhandledrejection", (event) => tell("error", { message: text(event.reason?.message ?? event.reason), line: 0 }));
})();
