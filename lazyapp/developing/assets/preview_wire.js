// What the page asks its server: requests to the application's MCP endpoint, and documents for frames.

const ROOT = "/_lazy/preview";

/** A request that the server could not make; `message` says why. */
export class Trouble extends Error {}

async function send(path, body, signal) {
  let answer;
  try {
    answer = await fetch(ROOT + path, {
      method: body ? "POST" : "GET",
      headers: body ? { "content-type": "application/json" } : {},
      body: body && JSON.stringify(body),
      signal,
    });
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new Trouble("The server does not answer. Is it still running?");
  }
  const found = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Trouble(found.problem ?? `The server answered ${answer.status}.`);
  return found;
}

/** Who there is to call as. */
export const callers = () => send("/callers");

/** One MCP request as `caller`: {answer, before, ms, status, failure}. */
export const ask = (caller, method, params, signal) => send("/mcp", { as: caller, method, params }, signal);

/** The document of a widget: {url, digest, meta, policy, …}; without `url` where its digest is `known`. */
export const frame = (caller, wanted) => send("/frames", { as: caller, ...wanted });

/** Every entry of a list, page after page. */
export async function listed(caller, method, key) {
  const all = [];
  let cursor;
  do {
    const { answer } = await ask(caller, method, cursor ? { cursor } : {});
    if (answer.error) throw new Trouble(answer.error.message);
    all.push(...answer.result[key]);
    cursor = answer.result.nextCursor;
  } while (cursor && all.length < 10_000);
  return all;
}
