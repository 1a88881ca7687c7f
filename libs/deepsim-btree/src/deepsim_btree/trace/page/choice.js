// Choice: what is looked at. Whoever changes it calls draw().
const byId = (id) => document.getElementById(id);
const ICONS = {
  R: "M3 1.5v9l7.5-4.5z", S: "M1.5 6.2 3 4.7l2 2 4.2-4.5 1.5 1.5L5 9.8z",
  F: "M2.9 1.5 6 4.6l3.1-3.1 1.4 1.4L7.4 6l3.1 3.1-1.4 1.4L6 7.4l-3.1 3.1-1.4-1.4L4.6 6 1.5 2.9z",
  K: "M1.5 1.5 6 6 1.5 10.5zM6 1.5 10.5 6 6 10.5z", I: "M2 5h8v2H2z",
  fold: "M3 1l6 5-6 5z", pause: "M2 1.5h3v9H2zM7 1.5h3v9H7z",
  first: "M1.5 1.5h2v9h-2zM10.5 1.5v9L4 6z", last: "M8.5 1.5h2v9h-2zM1.5 1.5v9L8 6z",
  back: "M9 1.5v9L2.5 6z", next: "M3 1.5v9L9.5 6z",
};

let run = new Run();
const choice = {
  position: -1,
  isFollowing: true,  // the last step, while there come more
  path: null,  // of the node that is looked at
  search: "",
  folded: new Set(),  // paths
  stops: new Map(),  // from the paths of nodes to the letters of statuses at which to stop playing
  from: null, to: null,  // what of the axis is shown; null for all
  tab: "nodes",
};
const server = { isLive: false, state: "" };

const step = () => run.steps[choice.position];
const layout = () => run.layouts[step().layout];

function icon(name) {
  const holder = document.createElement("template");
  holder.innerHTML = `<svg viewBox="0 0 12 12" aria-hidden="true"><path d="${ICONS[name]}"/></svg>`;
  return holder.content.firstChild;
}

function make(tag, kind = "", ...inside) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  element.append(...inside);
  return element;
}

function mark(letter) {
  const kind = letter.toUpperCase();
  const older = letter !== "." && !isCurrent(letter);
  const element = make("span", "mark" + (older ? " older" : ""), ...(letter === "." ? [] : [icon(kind)]));
  if (letter !== ".") element.style.setProperty("--colour", `var(--${kind})`);
  if (!older) element.dataset.is = letter;
  element.title = WORDS[kind] + (older ? ", of an earlier tick" : "");
  return element;
}

function number(value) {  // with the digits that matter
  return `${+value.toPrecision(Math.abs(value) >= 1000 ? 7 : 4)}`;
}

const span = (value) => (run.hasTime ? `${number(value)} s` : `${number(value)} tick${value === 1 ? "" : "s"}`);

function go(position, isFollowing = false) {
  if (!run.steps.length) return;
  choice.position = Math.max(0, Math.min(position, run.steps.length - 1));
  choice.isFollowing = isFollowing;
  draw();
}

function select(path) {
  choice.path = path;
  draw();
}

function reveal(path) {  // unfolds what is above a node, selects it and scrolls there
  const nodes = layout();
  let index = run.indexOf(step().layout, path);
  if (index < 0) return;
  for (let up = nodes[index].parent; up !== null; up = nodes[up].parent) choice.folded.delete(nodes[up].path);
  select(path);
  drawNow();
  const row = byId("rows").querySelector(`[data-node="${index}"]`);
  if (row) row.scrollIntoView({ block: "nearest" });
}

let isDrawing = false;
function draw() {
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(drawNow);
}

function drawNow() {
  isDrawing = false;
  drawState();
  if (!run.steps.length) return;
  drawControls();
  drawNodes();
  drawTimeline();
  drawPanel();
}
