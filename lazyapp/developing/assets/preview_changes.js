// Hears of changed files and of a server that started anew. /_lazy/changes names the state of both: `<run>.<count of changes>`.

/** Call `onChange(isNewRun)` for each change while the page is looked at; one that came meanwhile is told afterwards. */
export function onChanges(onChange) {
  let known = "";
  let stream = null;
  const hear = ({ data }) => {
    const before = known;
    known = data;
    if (before && before !== data) onChange(before.split(".")[0] !== data.split(".")[0]);
  };
  const follow = () => {
    // A browser opens few connections to one address: a hidden page takes none.
    const isSeen = document.visibilityState === "visible";
    if (isSeen === Boolean(stream)) return;
    stream?.close();
    stream = isSeen ? new EventSource("/_lazy/changes") : null;
    if (stream) stream.onmessage = hear;
  };
  document.addEventListener("visibilitychange", follow);
  addEventListener("pagehide", () => stream?.close());
  follow();
}
