// The panel: the node that is looked at, and the blackboard.
let panelKey = "";

function drawPanel() {
  const key = JSON.stringify([choice.position, run.steps.length, run.end, choice.path, choice.search, [...choice.stops]]);
  if (key === panelKey) return;  // so that buttons stay under the pointer
  panelKey = key;
  drawNode();
  drawBoard();
}

function drawNode() {
  const index = choice.path === null ? -1 : run.indexOf(step().layout, choice.path);
  if (index < 0) {
    const hint = choice.path === null ? "Choose a node to see its changes and times." : "The tree has no such node at this step.";
    byId("node").replaceChildren(make("h2", "", "Node"), make("div", "none", hint), legend());
    return;
  }
  const node = layout()[index], letter = step().states[index], feedback = step().feedback[index];
  const title = make("div", "title", mark(letter), make("span", "", node.name));
  const path = make("div", "path", node.kind === node.name ? node.path : `${node.kind} · ${node.path}`);
  const inside = [make("h2", "", "Node"), title, path];
  if (feedback) inside.push(make("div", "feedback", feedback));
  inside.push(changeButtons(), stopButtons(), timesTable());
  keepFocus(byId("node"), inside);
}

function keepFocus(section, inside) {
  const focused = section.contains(document.activeElement) ? document.activeElement.id : "";
  section.replaceChildren(...inside);
  if (focused && byId(focused)) byId(focused).focus();
}

function button(id, text, isEnabled, action) {
  const element = make("button", "", text);
  element.id = id;
  element.disabled = !isEnabled;
  element.onclick = action;
  return element;
}

function legend() {
  const says = { R: "RUNNING in this tick", S: "SUCCESS in this tick", F: "FAILURE in this tick", s: "SUCCESS in an earlier tick",
    K: "SKIPPED: not asked to run", I: "halted, or INVALID" };
  return make("div", "legend", ...Object.entries(says).map(([letter, text]) => make("div", "line", mark(letter), make("span", "", text))));
}

function changeButtons() {
  const before = run.change(choice.position, -1, choice.path), after = run.change(choice.position, 1, choice.path);
  return make("div", "line",
    button("earlier", "‹ Change before", before >= 0, () => go(before)),
    button("later", "Next change ›", after >= 0, () => go(after)));
}

function stopButtons() {
  const letters = choice.stops.get(choice.path) || "";
  const line = make("div", "line", make("span", "whole", "Stop playing when it becomes"));
  for (const letter of "RSF") {
    const isOn = letters.includes(letter);
    const element = button(`stop${letter}`, WORDS[letter], true, () => setStops(choice.path, isOn ? letters.replace(letter, "") : letters + letter));
    element.setAttribute("aria-pressed", isOn);
    line.append(element);
  }
  return line;
}

function setStops(path, letters) {
  if (letters) choice.stops.set(path, letters);
  else choice.stops.delete(path);
  draw();
}

function timesTable() {  // how long and how often, over all that was recorded
  const spans = {}, times = {};
  let before = ".";
  for (let at = 0; at < run.steps.length; at++) {
    const letter = run.letter(at, choice.path);
    if (isCurrent(letter)) {
      spans[letter] = (spans[letter] || 0) + run.until(at) - run.steps[at].x;
      if (letter !== before) times[letter] = (times[letter] || 0) + 1;
    }
    before = letter;
  }
  const longest = Math.max(...Object.values(spans), 1e-12);
  const table = make("table");
  for (const letter of "RSFKI") {
    if (!times[letter]) continue;
    const bar = make("span", "bar");
    bar.style.width = `${(spans[letter] / longest) * 100}%`;
    bar.style.background = `var(--${letter})`;
    const cells = [make("th", "", WORDS[letter], bar), make("td", "number", `${times[letter]} ×`), make("td", "number", span(spans[letter]))];
    table.append(make("tr", "", ...cells));
  }
  return table.children.length ? table : make("div", "none", "It has not run so far.");
}

function drawBoard() {
  const search = choice.search.toLowerCase(), table = make("table");
  const names = [...step().board.keys()].sort();
  for (const name of names) {
    const text = step().board.get(name);
    if (search && !`${name} ${text}`.toLowerCase().includes(search) && names.length > 12) continue;
    const row = make("tr", step().written.has(name) ? "new" : "", make("th", "", name), make("td", "", text));
    table.append(row);
  }
  const empty = make("div", "none", names.length ? "No entry matches." : "Nothing is on the blackboard.");
  byId("board").replaceChildren(make("h2", "", "Blackboard"), table.children.length ? table : empty);
}
