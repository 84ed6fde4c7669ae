// What a host does for a widget, in the standard's protocol and as window.openai. SEP-1865 (revision 2026-01-26); OpenAI, Apps SDK
// reference. What would reach beyond the preview (a link, a message, what the model knows) is shown, and nothing more.
import { Refusal } from "./preview_bridge.js";
import { HOST_INFO, REVISION, capabilities } from "./preview_context.js";

const FORWARDED = ["resources/read", "resources/list", "resources/templates/list", "prompts/list"];

/** Whether the page of an app may call a tool. SEP-1865, "Visibility": both the model and the app where nothing is said. */
export const isForApps = (tool) => !Array.isArray(tool._meta?.ui?.visibility) || tool._meta.ui.visibility.includes("app");

/** The requests of the standard. `stage` is what the widget stands on: see preview_stage.js. */
export function standardRequests(stage) {
  const forwarded = Object.fromEntries(FORWARDED.map((method) => [method, (params) => stage.ask(method, params)]));
  return {
    ...forwarded,
    ping: async () => ({}),
    "ui/initialize": async ({ protocolVersion, appCapabilities }) => {
      stage.meet(appCapabilities);
      if (protocolVersion !== REVISION) stage.note(`The widget speaks revision ${String(protocolVersion).slice(0, 40)}; this host ${REVISION}.`);
      return { protocolVersion: REVISION, hostInfo: HOST_INFO, hostCapabilities: capabilities(stage.wanted), hostContext: stage.context() };
    },
    "tools/call": async ({ name, arguments: args }) => callTool(stage, name, args),
    "tools/list": async () => ({ tools: stage.tools.filter(isForApps) }),
    "ui/open-link": async ({ url }) => openLink(stage, url),
    "ui/message": async ({ role, content }) => {
      if (role !== "user") throw new Refusal(-32602, 'role must be "user"');
      stage.say("A message in the user's name", textOf(content), content);
      return {};
    },
    "ui/update-model-context": async ({ content, structuredContent }) => {
      stage.say("The model knows from its next turn on", textOf(content), structuredContent);
      return {};
    },
    "ui/request-display-mode": async ({ mode }) => ({ mode: stage.display(mode) }),
  };
}

export function standardNotifications(stage) {
  return {
    "ui/notifications/initialized": () => stage.begin(),
    "ui/notifications/size-changed": ({ height }) => stage.resize(height),
    "ui/notifications/request-teardown": () => stage.close(),
    "notifications/message": () => {},
  };
}

/** What window.openai asks of us, under the names that preview_frame_openai.js gives it. */
export function openaiRequests(stage) {
  return {
    "openai/callTool": async ({ name, args }) => {
      const result = await callTool(stage, name, args, true);
      return { ...result, result: textOf(result.content) };
    },
    "openai/sendFollowUpMessage": async ({ prompt }) => {
      stage.say("A message in the user's name", typeof prompt === "string" ? prompt : "", undefined);
      return {};
    },
    "openai/openExternal": async ({ href }) => {
      const answer = openLink(stage, href);
      if (answer.isError) throw new Refusal(-32602, "only http and https addresses are opened");
      return {};
    },
    "openai/requestDisplayMode": async ({ mode }) => ({ mode: stage.display(mode) }),
    "openai/requestModal": async ({ params, template }) => {
      // Answered first, for the modal window stands in the place of the widget that asks.
      setTimeout(() => stage.openModal(params ?? null, template), 0);
      return {};
    },
    "openai/uploadFile": async ({ fileName, mimeType, bytes }) => {
      stage.say("Uploads a file, which stays in the widget", `${fileName || "a file"} (${mimeType || "of no type"}, ${Number(bytes)} bytes)`);
      return {};
    },
    "openai/setOpenInAppUrl": async ({ href }) => {
      if (openLink(stage, href).isError) throw new Refusal(-32602, "only http and https addresses are opened");
      return {};
    },
    "openai/requestClose": async () => (stage.close(), {}),
    "openai/notifyIntrinsicHeight": async ({ height }) => (stage.resize(height), {}),
    "openai/setWidgetState": async ({ state }) => {
      stage.remember(state);
      return {};
    },
  };
}

/** The one thing that our script in the document tells by itself. */
export const openaiNotifications = (stage) => ({ "openai/ready": () => stage.begin() });

async function callTool(stage, name, args, isOpenai = false) {
  if (typeof name !== "string") throw new Refusal(-32602, "name must be a string");
  const tool = stage.tools.find((one) => one.name === name || one.name.replaceAll(".", "_") === name);
  if (tool && (!isForApps(tool) || (isOpenai && tool._meta?.["openai/widgetAccessible"] === false))) {
    stage.note(`The widget called ${tool.name}, which is for the model alone; hosts refuse that. Add "app" to its visibility.`);
    throw new Refusal(-32000, `the tool ${name} is not for apps`);
  }
  return stage.ask("tools/call", { name, arguments: args ?? {} });
}

function openLink(stage, url) {
  let target;
  try {
    target = new URL(url);
  } catch {
    return { isError: true };
  }
  if (!["http:", "https:"].includes(target.protocol)) {
    stage.note(`The widget wants to open an address of the kind ${target.protocol} Hosts open http and https.`);
    return { isError: true };
  }
  stage.offer(target.href);
  return {};
}

const textOf = (content) =>
  Array.isArray(content)
    ? content
        .filter((part) => part?.type === "text" && typeof part.text === "string")
        .map((part) => part.text)
        .join("\n")
    : "";
