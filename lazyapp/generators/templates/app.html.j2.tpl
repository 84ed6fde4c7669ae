{# Shown inside the AI client. The layout brings `lazy`, which speaks with the client, and the colours of the client's theme. #}
<style>
  header { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; margin-bottom: 0.75rem; }
  h1 { margin: 0 auto 0 0; }
  dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.25rem 1rem; margin: 0; }
  dt { color: var(--quiet); }
  dd { margin: 0; overflow-wrap: anywhere; }
</style>

<header>
  <h1>$title</h1>
  <button id="again">Once more</button>
</header>
<dl id="facts" aria-live="polite"></dl>

<script>
  const facts = document.querySelector("#facts");
  let asked = {};

  // What the tool answered. `data` is what the model reads too; a field that is `WidgetOnly` comes in `meta`.
  function show({ data, content, isError }) {
    facts.replaceChildren();
    for (const [name, value] of Object.entries(isError ? { error: content[0].text } : data)) {
      const [term, fact] = [document.createElement("dt"), document.createElement("dd")];
      term.textContent = name.replaceAll("_", " ");
      fact.textContent = Array.isArray(value) ? value.join(", ") : (value ?? "–");
      facts.append(term, fact);
    }
  }

  lazy.onInput(({ args, partial }) => { if (!partial) asked = args; });
  lazy.onResult(show);
  document.querySelector("#again").onclick = async () => show(await lazy.call("$module.$tool", asked));
</script>
