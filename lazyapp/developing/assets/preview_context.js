// What the host tells a widget of its surroundings. SEP-1865 (revision 2026-01-26), "Host Context" and "Theming"; OpenAI, Apps SDK
// reference. The colours are those of no product: a widget that wears them well wears others well.

export const REVISION = "2026-01-26";
export const HOST_INFO = { name: "lazyapp preview", version: "1" };
export const MODES = ["inline", "fullscreen", "pip"];
/** Width in pixels by preset; 0 is as wide as the page allows. */
export const WIDTHS = { phone: 375, inline: 720, full: 0 };
export const MAX_HEIGHT = 4000;

const COLOURS = {
  light: {
    background: { primary: "#ffffff", secondary: "#f4f5f2", tertiary: "#e9ebe6", inverse: "#1b1f1d", ghost: "#ffffff00", info: "#e3f1fa", danger: "#fbe6e4", success: "#e0f3e5", warning: "#fbf0d3", disabled: "#f0f1ee" },
    text: { primary: "#1b1f1d", secondary: "#59625d", tertiary: "#6b746f", inverse: "#ffffff", ghost: "#59625d", info: "#0b5d8a", danger: "#a8241c", success: "#1a6b34", warning: "#7a4f00", disabled: "#8b938e" },
    border: { primary: "#c9cec6", secondary: "#dfe3dc", tertiary: "#eceee9", inverse: "#1b1f1d", ghost: "#ffffff00", info: "#8ab9d6", danger: "#e0a5a0", success: "#93c9a3", warning: "#dcc07d", disabled: "#e6e8e3" },
    ring: { primary: "#0b5d8a", secondary: "#59625d", inverse: "#ffffff", info: "#0b5d8a", danger: "#a8241c", success: "#1a6b34", warning: "#7a4f00" },
  },
  dark: {
    background: { primary: "#1b1f1d", secondary: "#232826", tertiary: "#2e3431", inverse: "#f4f5f2", ghost: "#00000000", info: "#12303f", danger: "#40201d", success: "#16341f", warning: "#3a2e10", disabled: "#232826" },
    text: { primary: "#e7eae6", secondary: "#a3aca7", tertiary: "#8f9993", inverse: "#1b1f1d", ghost: "#a3aca7", info: "#8cc8ee", danger: "#ff9a90", success: "#6fd38a", warning: "#eac26b", disabled: "#6b746f" },
    border: { primary: "#434b46", secondary: "#2e3431", tertiary: "#262b29", inverse: "#e7eae6", ghost: "#00000000", info: "#2d6788", danger: "#8a4640", success: "#2f6b41", warning: "#7a622a", disabled: "#2a2f2c" },
    ring: { primary: "#8cc8ee", secondary: "#a3aca7", inverse: "#1b1f1d", info: "#8cc8ee", danger: "#ff9a90", success: "#6fd38a", warning: "#eac26b" },
  },
};
const SIZES = {
  "--font-sans": "system-ui, sans-serif",
  "--font-mono": "ui-monospace, Menlo, Consolas, monospace",
  "--font-weight-normal": "400",
  "--font-weight-medium": "500",
  "--font-weight-semibold": "600",
  "--font-weight-bold": "700",
  "--font-text-xs-size": "12px",
  "--font-text-sm-size": "14px",
  "--font-text-md-size": "16px",
  "--font-text-lg-size": "18px",
  "--font-heading-sm-size": "18px",
  "--font-heading-md-size": "20px",
  "--font-heading-lg-size": "24px",
  "--border-radius-sm": "4px",
  "--border-radius-md": "8px",
  "--border-radius-lg": "12px",
  "--border-radius-full": "9999px",
  "--border-width-regular": "1px",
};

function variables(theme) {
  const found = { ...SIZES };
  for (const [kind, shades] of Object.entries(COLOURS[theme])) {
    for (const [name, colour] of Object.entries(shades)) found[`--color-${kind}-${name}`] = colour;
  }
  return found;
}

const none = { top: 0, right: 0, bottom: 0, left: 0 };

/** The hostContext of the standard. `look` is {theme, width, displayMode}; `pixels` is how wide the frame is. */
export function hostContext(look, pixels, tool) {
  const isPhone = look.width === "phone";
  return {
    theme: look.theme,
    styles: { variables: variables(look.theme) },
    displayMode: look.displayMode,
    availableDisplayModes: MODES,
    containerDimensions: look.displayMode === "fullscreen" ? { width: pixels, height: 640 } : { width: pixels, maxHeight: MAX_HEIGHT },
    locale: navigator.language,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    userAgent: "lazyapp-preview",
    platform: isPhone ? "mobile" : "web",
    deviceCapabilities: { touch: isPhone, hover: !isPhone },
    safeAreaInsets: none,
    ...(tool && { toolInfo: { tool } }),
  };
}

/** How a widget is shown first; in a modal window it is another one, with the parameters that were asked for. */
export const INLINE = { mode: "inline", params: null };

/** The same as window.openai has it. */
export function globals(look, view) {
  const isPhone = look.width === "phone";
  return {
    theme: look.theme,
    displayMode: look.displayMode,
    maxHeight: look.displayMode === "fullscreen" ? 640 : MAX_HEIGHT,
    locale: navigator.language,
    safeArea: { insets: none },
    userAgent: { device: { type: isPhone ? "mobile" : "desktop" }, capabilities: { hover: !isPhone, touch: isPhone } },
    view,
  };
}

/** What the host can do. `wanted` is what the resource asked for. */
export const capabilities = (wanted) => ({
  openLinks: {},
  serverTools: {},
  serverResources: {},
  logging: {},
  message: { text: {}, image: {}, resource: {}, resourceLink: {}, structuredContent: {} },
  updateModelContext: { text: {}, image: {}, resource: {}, resourceLink: {}, structuredContent: {} },
  sandbox: { permissions: wanted.meta?.ui?.permissions ?? {}, csp: wanted.meta?.ui?.csp ?? {} },
});
