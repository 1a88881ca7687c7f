// The nodes: one row each. Rows stay while the tree stays; only what changed is written again.
let rowsKey = "";
let rows = [];  // of those that are not inside a folded one: [index, element]
let shownStates = "", shownFeedback = null;

function drawNodes() {
  const nodes = layout(), { states, feedback } = step();
  const folded = nodes.filter((node) => choice.folded.has(node.path)).map((node) => node.path);
  const key = JSON.stringify([step().layout, folded]);
  const isNew = key !== rowsKey || !rows.length;
  if (isNew) {
    rowsKey = key;
    makeRows(nodes);
  }
  const search = choice.search.toLowerCase();
  let hits = 0;
  for (const [index, row] of rows) {
    const node = nodes[index];
    if (isNew || states[index] !== shownStates[index]) {
      row.firstChild.children[1].replaceWith(mark(states[index]));
      row.classList.toggle("idle", !isCurrent(states[index]));
    }
    const text = feedback[index] || "";
    if (isNew || !shownFeedback || text !== (shownFeedback[index] || "")) row.querySelector(".feedback").textContent = text;
    const isHit = search !== "" && `${node.name} ${node.kind} ${text}`.toLowerCase().includes(search);
    hits += isHit;
    row.classList.toggle("hit", isHit);
    row.classList.toggle("miss", search !== "" && !isHit);
    row.setAttribute("aria-selected", node.path === choice.path);
    row.querySelector(".dot").hidden = !choice.stops.has(node.path);
  }
  shownStates = states;
  shownFeedback = feedback;
  byId("hits").textContent = search === "" ? "" : hits || "none";
  byId("fold").textContent = choice.folded.size ? "Unfold all" : "Fold all";
}

function makeRows(nodes) {
  rows = [];
  const hidden = [];
  nodes.forEach((node, index) => {
    hidden[index] = node.parent !== null && (hidden[node.parent] || choice.folded.has(nodes[node.parent].path));
    if (!hidden[index]) rows.push([index, makeRow(node, index)]);
  });
  byId("rows").replaceChildren(...rows.map(([, row]) => row));
}

function makeRow(node, index) {
  const fold = make("button", "fold", ...(node.children.length ? [icon("fold")] : []));
  fold.tabIndex = -1;
  fold.setAttribute("aria-label", "Fold");
  fold.style.visibility = node.children.length ? "visible" : "hidden";
  const dot = make("span", "dot");
  dot.title = "Playing stops here";
  const kind = make("span", "kind", node.kind === node.name ? "" : node.kind);
  const label = make("span", "label", fold, mark("."), make("span", "name", node.name), dot, kind, make("span", "feedback"));
  const row = make("div", "row", label);
  row.dataset.node = index;
  row.title = node.path;
  row.style.setProperty("--deep", Math.min(node.depth, 12));
  row.setAttribute("role", "treeitem");
  row.setAttribute("aria-level", node.depth + 1);
  if (node.children.length) row.setAttribute("aria-expanded", !choice.folded.has(node.path));
  return row;
}

function toggle(path) {
  if (!choice.folded.delete(path)) choice.folded.add(path);
  draw();
}

byId("rows").onclick = (event) => {
  const row = event.target.closest(".row");
  if (!row || (!isPhone() && event.clientX >= chartLeft())) return;  // there the time is chosen
  const { path } = layout()[row.dataset.node];
  if (event.target.closest(".fold")) toggle(path);
  else select(path);
};
byId("rows").ondblclick = (event) => {
  const row = event.target.closest(".row");
  if (row && layout()[row.dataset.node].children.length && event.clientX < chartLeft()) toggle(layout()[row.dataset.node].path);
};
byId("fold").onclick = () => {
  const paths = layout().filter((node) => node.children.length && node.parent !== null).map((node) => node.path);
  choice.folded = new Set(choice.folded.size ? [] : paths);
  draw();
};
byId("search").oninput = (event) => {
  choice.search = event.target.value.trim();
  draw();
};
byId("search").onkeydown = (event) => {
  if (event.key === "Escape") {
    event.target.value = choice.search = "";
    event.target.blur();
    draw();
  } else if (event.key === "Enter") {
    nextHit(event.shiftKey ? -1 : 1);
  }
};

function nextHit(direction) {
  const nodes = layout(), search = choice.search.toLowerCase(), { feedback } = step();
  const start = run.indexOf(step().layout, choice.path);
  for (let count = 1; search !== "" && count <= nodes.length; count++) {
    const index = (((start < 0 && direction < 0 ? 0 : start) + direction * count) % nodes.length + nodes.length) % nodes.length;
    const node = nodes[index];
    if (`${node.name} ${node.kind} ${feedback[index] || ""}`.toLowerCase().includes(search)) return reveal(node.path);
  }
  return null;
}

function moveSelection(direction) {
  const at = rows.findIndex(([index]) => layout()[index].path === choice.path);
  const row = rows[Math.max(0, Math.min(rows.length - 1, at < 0 ? 0 : at + direction))];
  reveal(layout()[row[0]].path);
}
