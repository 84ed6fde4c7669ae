// As whom is called: one of the users, with modules and scopes that may be taken away to see what is left.
import { byId, el, newId } from "./preview_dom.js";

export class CallerChoice {
  /** @param {{oauth: boolean, users: {id: string, mcps: string[]}[], modules: string[], scopes: string[]}} known */
  constructor(known, user, onChange) {
    this.known = known;
    this.onChange = onChange;
    this.user = user || known.users[0]?.id || "";
    this.draw();
  }

  /** As the server reads it. */
  value() {
    if (!this.known.oauth) return {};
    const chosen = (boxes) => boxes.filter((box) => box.checked).map((box) => box.value);
    return { user: this.user, mcps: chosen(this.modules), scopes: chosen(this.scopes) };
  }

  draw() {
    const holder = byId("caller");
    if (!this.known.oauth) {
      holder.replaceChildren(el("p", { class: "soft" }, "Nobody signs in to this application's /mcp, so calls are made by nobody."));
      return;
    }
    const id = newId("user");
    const names = el("datalist", { id: `${id}-names` }, ...this.known.users.map((one) => el("option", { value: one.id })));
    const input = el("input", { id, list: names.id, value: this.user, autocomplete: "off", spellcheck: "false" });
    input.addEventListener("change", () => {
      this.user = input.value.trim();
      this.draw();
      this.onChange();
    });
    const granted = this.known.users.find((one) => one.id === this.user)?.mcps ?? [];
    this.modules = this.known.modules.map((name) => this.box(name, granted.includes("*") || granted.includes(name)));
    this.scopes = this.known.scopes.map((name) => this.box(name, true));
    holder.replaceChildren(
      el("label", { for: id }, "Call as"),
      input,
      names,
      el("details", {}, el("summary", {}, this.summary(granted)), this.choice("Modules", this.modules), this.choice("Scopes", this.scopes)),
    );
  }

  summary(granted) {
    if (granted.includes("*")) return "may use every module";
    return granted.length ? `may use ${granted.join(", ")}` : "is granted no module";
  }

  box(name, isChecked) {
    const box = el("input", { type: "checkbox", value: name });
    box.checked = isChecked;
    box.addEventListener("change", () => this.onChange());
    return box;
  }

  choice(title, boxes) {
    if (!boxes.length) return null;
    return el("fieldset", { class: "boxes" }, el("legend", {}, title), ...boxes.map((box) => el("label", {}, box, box.value)));
  }
}
