// An MCP host of the official packages: client to the server, AppBridge to the page. It posts all it was told.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { AppBridge, PostMessageTransport, RESOURCE_MIME_TYPE, getToolUiResourceUri } from "@modelcontextprotocol/ext-apps/app-bridge";

const log = [];
const keep = (kind, value) => log.push({ kind, value });
const send = () => fetch("/log", { method: "POST", body: JSON.stringify(log) });
const uiCapability = { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: [RESOURCE_MIME_TYPE] } } };

window.addEventListener("unhandledrejection", ({ reason }) => (keep("broken", String(reason?.stack ?? reason)), send()));

async function begin() {
  const client = new Client({ name: "host", version: "1" }, { capabilities: uiCapability });
  await client.connect(new StreamableHTTPClientTransport(new URL(new URLSearchParams(location.search).get("mcp"))));
  const { tools } = await client.listTools();
  keep("tools", tools.map((tool) => tool.name));
  const tool = tools.find((tool) => tool.name === "shop.cart");
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  keep("mimeType", contents[0].mimeType === RESOURCE_MIME_TYPE);

  const frame = document.createElement("iframe");
  frame.sandbox = "allow-scripts";
  frame.style = "width: 600px; height: 300px";
  document.body.append(frame);

  const hostContext = {
    theme: "dark",
    locale: "de-DE",
    displayMode: "inline",
    availableDisplayModes: ["inline", "fullscreen"],
    safeAreaInsets: { top: 7, right: 0, bottom: 0, left: 0 },
    styles: { variables: { "--color-text-primary": "rgb(1, 2, 3)" }, css: { fonts: "@font-face { font-family: Host; src: local(Arial) }" } },
    toolInfo: { tool },
  };
  const able = { openLinks: {}, serverTools: {}, serverResources: {}, logging: {}, message: { text: {} }, updateModelContext: { text: {} } };
  const bridge = new AppBridge(client, { name: "host", version: "1" }, able, { hostContext });
  bridge.onsizechange = (size) => keep("size", size);
  bridge.onopenlink = async ({ url }) => (keep("link", url), url.includes("forbidden") ? { isError: true } : {});
  bridge.onmessage = async (message) => (keep("message", message), {});
  bridge.onupdatemodelcontext = async (context) => (keep("model", context), {});
  bridge.onrequestdisplaymode = async ({ mode }) => {
    keep("mode", mode);
    bridge.setHostContext({ ...hostContext, theme: "light", displayMode: mode });
    return { mode };
  };
  bridge.onloggingmessage = ({ data }) => keep("said", data);
  bridge.onrequestteardown = async () => {
    keep("teardown", await bridge.teardownResource({}));
    await send();
  };
  bridge.oninitialized = async () => {
    keep("app", [bridge.getAppVersion(), bridge.getAppCapabilities()]);
    await bridge.sendToolInputPartial({ arguments: { number: 1 } });
    await bridge.sendToolInput({ arguments: { number: 12 } });
    await bridge.sendToolResult(await client.callTool({ name: tool.name, arguments: { number: 12 } }));
  };
  bridge.onerror = (error) => keep("error", String(error));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = contents[0].text;
}

begin();
