// A widget made with the official class of npm's @modelcontextprotocol/ext-apps.
import { App } from "@modelcontextprotocol/ext-apps";

const app = new App({ name: "official", version: "1.0.0" }, { availableDisplayModes: ["inline"] });
const seen = { partial: [] };
const one = (id) => document.getElementById(id);
const tell = () => (one("told").textContent = JSON.stringify(seen));
const failed = (problem) => String(problem?.message ?? problem);

app.ontoolinputpartial = ({ arguments: given }) => seen.partial.push(given);
app.ontoolinput = ({ arguments: given }) => (seen.input = given);
app.onhostcontextchanged = (context) => (one("context").textContent = `${context.theme} ${context.displayMode}`);
app.onteardown = async () => ({});
app.ontoolresult = async ({ structuredContent }) => {
  seen.result = structuredContent;
  seen.host = app.getHostVersion();
  const context = app.getHostContext();
  seen.context = [context.theme, context.displayMode, context.platform, context.toolInfo.tool.name];
  seen.able = Object.keys(app.getHostCapabilities()).sort();
  seen.link = await app.openLink({ url: "https://example.com/" }).catch(failed);
  seen.message = await app.sendMessage({ role: "user", content: [{ type: "text", text: "Hello" }] }).catch(failed);
  seen.model = await app.updateModelContext({ content: [{ type: "text", text: "Known" }], structuredContent: { n: 1 } }).catch(failed);
  seen.mode = await app.requestDisplayMode({ mode: "fullscreen" }).catch(failed);
  seen.refused = await app.callServerTool({ name: "gallery.erase", arguments: {} }).catch(failed);
  await app.sendLog({ level: "info", data: "a word" });
  const renamed = await app.callServerTool({ name: "gallery.rename", arguments: { name: "noon" } }).catch(failed);
  seen.called = renamed.structuredContent ?? renamed;
  tell();
};
await app.connect();
