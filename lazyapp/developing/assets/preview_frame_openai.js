// window.openai as a widget finds it in ChatGPT (OpenAI, Apps SDK reference): values that the host sets, and functions that ask it.
// The page of the preview is the host. It is spoken to in JSON-RPC, under names of our own; the widget hears nothing of that.
((state) => {
  "use strict";
  const host = window.parent;
  const waiting = new Map();
  let last = 0;
  const post = (message) => host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  const ask = (name, params) =>
    new Promise((resolve, reject) => {
      const id = `openai-${++last}`;
      waiting.set(id, { resolve, reject });
      post({ id, method: `openai/${name}`, params });
    });
  const noFiles = () => Promise.reject(new Error("this preview has no files"));
  const openai = {
    ...state,
    callTool: (name, args = {}) => ask("callTool", { name, args }),
    sendFollowUpMessage: (message) => ask("sendFollowUpMessage", message),
    openExternal: (link) => ask("openExternal", link),
    requestDisplayMode: (wish) => ask("requestDisplayMode", wish),
    requestModal: (wish) => ask("requestModal", wish),
    requestClose: () => ask("requestClose", {}),
    notifyIntrinsicHeight: (height) => ask("notifyIntrinsicHeight", { height }),
    setWidgetState: (widgetState) => {
      openai.widgetState = widgetState;
      return ask("setWidgetState", { state: widgetState });
    },
    uploadFile: noFiles,
    selectFiles: noFiles,
    getFileDownloadUrl: noFiles,
  };
  window.openai = openai;
  addEventListener("message", (event) => {
    const { source, data } = event;
    if (source !== host || data?.jsonrpc !== "2.0") return;
    if (data.method === "openai/globals") {
      event.stopImmediatePropagation();
      Object.assign(openai, data.params);
      dispatchEvent(new CustomEvent("openai:set_globals", { detail: { globals: data.params } }));
    } else if (waiting.has(data.id)) {
      event.stopImmediatePropagation();
      const { resolve, reject } = waiting.get(data.id);
      waiting.delete(data.id);
      if (data.error) reject(new Error(data.error.message));
      else resolve(data.result);
    }
  });
  post({ method: "openai/ready" });
});
