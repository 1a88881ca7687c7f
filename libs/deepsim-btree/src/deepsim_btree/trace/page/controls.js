// The controls: steps, play, keys, tabs.
let timer = null;

function drawControls() {
  const { call, tick, time, error } = step(), next = run.steps[choice.position + 1];
  const until = next ? next.tick - (next.call === "tick" ? 1 : 0) : run.lastTick;
  byId("where").textContent = `step ${choice.position + 1} of ${run.steps.length}: ${call}, tick ${tick}`
    + (until > tick ? ` to ${until}` : "") + (time === null ? "" : `, ${+time.toFixed(6)} s`);
  byId("error").textContent = error;
  byId("scrub").max = run.steps.length - 1;
  byId("scrub").value = choice.position;
  byId("first").disabled = byId("back").disabled = choice.position === 0;
  byId("next").disabled = choice.position === run.steps.length - 1;
  byId("play").replaceChildren(icon(timer === null ? "R" : "pause"));
  byId("last").setAttribute("aria-pressed", server.isLive && choice.isFollowing);
  for (const tab of byId("tabs").children) tab.setAttribute("aria-pressed", tab.dataset.tab === choice.tab);
  document.body.dataset.tab = choice.tab;
}

const goLast = () => go(run.steps.length - 1, server.isLive);

function pause() {
  clearInterval(timer);
  timer = null;
  draw();
}

function play() {
  if (timer !== null) return pause();
  if (choice.position === run.steps.length - 1) go(0);
  timer = setInterval(() => {
    go(choice.position + 1);
    keepCursorInSight();
    const isStop = [...choice.stops].some(([path, letters]) => run.changes(choice.position, path, letters));
    if (isStop || choice.position === run.steps.length - 1) pause();
  }, 200);
  return draw();
}

function stepBy(count) {
  go(choice.position + count);
  keepCursorInSight();
}

function toChange(direction) {
  const at = choice.path === null ? -1 : run.change(choice.position, direction, choice.path);
  if (at >= 0) {
    go(at);
    keepCursorInSight();
  }
}

for (const name of ["first", "back", "next", "last"]) byId(name).replaceChildren(icon(name));
byId("scrub").oninput = () => {
  go(+byId("scrub").value);
  keepCursorInSight();
};
byId("first").onclick = () => go(0);
byId("back").onclick = () => stepBy(-1);
byId("next").onclick = () => stepBy(1);
byId("last").onclick = goLast;
byId("play").onclick = play;
for (const tab of byId("tabs").children) {
  tab.onclick = () => {
    choice.tab = tab.dataset.tab;
    document.body.dataset.tab = choice.tab;
    draw();
  };
}
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("keydown", (event) => {
  if (event.target.tagName === "INPUT" && event.target.type !== "range") return;
  if (event.ctrlKey || event.metaKey || event.altKey || !run.steps.length) return;
  const keys = { ArrowLeft: () => stepBy(-1), ArrowRight: () => stepBy(1), Home: () => go(0), End: goLast, " ": play,
    ArrowUp: () => moveSelection(-1), ArrowDown: () => moveSelection(1), n: () => toChange(1), p: () => toChange(-1),
    "+": () => zoom(0.5), "-": () => zoom(2), 0: () => byId("fit").click(), "/": () => byId("search").focus() };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
