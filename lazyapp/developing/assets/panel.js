// What the panel's pages do besides, where scripts run: texts are copied, lists follow what happens. Without it all is there.
"use strict";

for (const text of document.querySelectorAll("textarea[data-copy]")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = text.dataset.copy;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text.value);
      button.textContent = "Copied";
    } catch {
      text.closest("details").open = true;
      text.select();
    }
  });
  document.getElementById(text.dataset.after).after(button);
}

const live = document.querySelector("[data-live]");
if (live) {
  const label = document.createElement("label");
  const box = document.createElement("input");
  box.type = "checkbox";
  label.className = "follow";
  label.append(box, live.dataset.live);
  live.before(label);

  let timer;
  const follow = async () => {
    try {
      const answer = await fetch(location.href, { headers: { accept: "text/html" } });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const fresh = page.querySelector("[data-live]");
      // Whoever reads with the keyboard or has marked something keeps it.
      const isUsed = live.contains(document.activeElement) || !getSelection().isCollapsed;
      if (fresh && !isUsed && fresh.innerHTML !== live.innerHTML) live.replaceChildren(...fresh.childNodes);
    } catch {
      // The server restarts; the next round asks again.
    }
    if (box.checked) timer = setTimeout(follow, 1000);
  };
  box.addEventListener("change", () => (box.checked ? follow() : clearTimeout(timer)));
}
