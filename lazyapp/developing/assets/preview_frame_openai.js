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
  // Files stay in this document: nothing is sent anywhere. Their addresses hold them, as the policy allows `data:` for pictures.
  const files = new Map();
  const held = (file) =>
    new Promise((resolve, reject) => {
      const reader = new FileReader();
      reader.onload = () => resolve({ downloadUrl: reader.result });
      reader.onerror = () => reject(reader.error);
      reader.readAsDataURL(file);
    });
  const told = ([fileId, { name = "", type }]) => ({ fileId, fileName: name, mimeType: type });
  const openai = {
    ...state,
    callTool: (name, args = {}) => ask("callTool", { name, args }),
    sendFollowUpMessage: (message) => ask("sendFollowUpMessage", message),
    openExternal: (link) => ask("openExternal", link),
    requestDisplayMode: (wish) => ask("requestDisplayMode", wish),
    requestModal: (wish) => ask("requestModal", wish),
    requestClose: () => ask("requestClose", {}),
    notifyIntrinsicHeight: (height) => ask("notifyIntrinsicHeight", height !== null && typeof height === "object" ? height : { height }),
    setWidgetState: (widgetState) => {
      openai.widgetState = widgetState;
      return ask("setWidgetState", { state: widgetState });
    },
    setOpenInAppUrl: (link) => ask("setOpenInAppUrl", link),
    uploadFile: async (file) => {
      if (!(file instanceof Blob)) throw new TypeError("uploadFile takes a File");
      const fileId = `file_${files.size + 1}`;
      files.set(fileId, file);
      await ask("uploadFile", { ...told([fileId, file]), bytes: file.size });
      return { fileId };
    },
    selectFiles: async () => [...files].map(told),
    getFileDownloadUrl: async ({ fileId }) => {
      if (!files.has(fileId)) throw new Error(`there is no file ${fileId}; this preview has those that this widget uploaded`);
      return held(files.get(fileId));
    },
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
