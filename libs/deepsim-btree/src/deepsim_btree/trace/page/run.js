// Run: what was recorded. Its lines are those of a file of deepsim_btree.trace.
const WORDS = { R: "RUNNING", S: "SUCCESS", F: "FAILURE", I: "INVALID", K: "SKIPPED", ".": "INVALID" };
const isCurrent = (letter) => "RSFIK".includes(letter);

class Run {
  constructor() {
    this.layouts = [];
    this.steps = [];
    this.end = 0;  // where the last step ends so far
    this.lastTick = 0;
    this.hasTime = false;
    this.limit = Infinity;
    this.shift = 0;  // of the current episode: ticks and clocks start again, the axis does not
    this.isNewEpisode = true;
    this.period = 1;  // between two ticks, as far as is known
  }

  take(line) {
    if (line.nodes) this.addLayout(line.nodes);
    else if ("end" in line) this.finish(line.end, line.time);
    else if (line.states) this.addStep(line);
  }

  addLayout(nodes) {
    const layout = nodes.map(([name, kind, shape, parent]) => ({ name, kind, shape, parent, children: [] }));
    layout.forEach((node, index) => {
      node.depth = node.parent === null ? 0 : layout[node.parent].depth + 1;
      if (node.parent !== null) layout[node.parent].children.push(index);
    });
    for (const node of layout) node.path = pathOf(layout, node);
    this.layouts.push(layout);
  }

  addStep({ call, tick, time = null, states, feedback = {}, error = "", blackboard = {} }) {
    const before = this.steps[this.steps.length - 1];
    const board = new Map(before ? before.board : []);
    const written = new Set(Object.keys(blackboard));
    for (const [name, text] of Object.entries(blackboard)) {
      if (text === null) board.delete(name);
      else board.set(name, text);
    }
    const step = { call, tick, time, states, feedback, error, board, written, layout: this.layouts.length - 1 };
    step.x = this.place(call, tick, time, before);
    this.steps.push(step);
    this.end = Math.max(this.end, step.x);
    this.lastTick = tick;
    if (this.steps.length > this.limit * 1.2) this.steps.splice(0, this.steps.length - this.limit);
  }

  // Where on the axis something begins: at its time, or one place after another if there is no
  // clock; tick n is from n - 1 to n then.
  place(call, tick, time, before) {
    if (time !== null && !this.hasTime) {
      this.hasTime = true;
      for (const step of this.steps) step.x = time;
      this.end = time;
    }
    if (call === "reset" || call === "start") {
      this.isNewEpisode = true;
      return this.end;
    }
    const raw = this.hasTime ? time : tick - (call === "tick" ? 1 : 0);
    if (raw === null) return this.end;
    if (this.isNewEpisode) {
      this.isNewEpisode = false;
      this.shift = before && before.call === "reset" ? this.end - raw : this.hasTime ? 0 : this.end;
    } else if (this.hasTime && before && before.time !== null && tick > before.tick && time > before.time) {
      this.period = (time - before.time) / (tick - before.tick);
    }
    const least = before ? before.x : -Infinity;
    // A halt comes at the instant of the tick before it.
    return Math.max(raw + this.shift, this.hasTime && call === "halt" ? least + this.period : least);
  }

  finish(tick, time) {
    this.lastTick = tick;
    if (this.isNewEpisode) return;
    const raw = this.hasTime ? (time === undefined ? null : time + this.period) : tick;
    if (raw !== null) this.end = Math.max(this.end, raw + this.shift);
  }

  until(position) {  // where a step ends
    const next = this.steps[position + 1];
    const end = next ? next.x : this.end;
    return Math.max(end, this.steps[position].x);
  }

  at(x) {  // the position of the step at a place of the axis
    let low = 0, high = this.steps.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.steps[middle].x <= x) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  // The next position, in a direction, at which a node has another status than before.
  change(position, direction, path, letters = "") {
    for (let at = position + direction; at >= 0 && at < this.steps.length; at += direction) {
      if (this.changes(at, path, letters)) return at;
    }
    return -1;
  }

  changes(at, path, letters = "") {
    const now = this.letter(at, path);
    const before = at > 0 ? this.letter(at - 1, path) : ".";
    return letters ? letters.includes(now) && now !== before
      : now.toUpperCase() !== before.toUpperCase() || (isCurrent(now) && !isCurrent(before));
  }

  letter(at, path) {
    const step = this.steps[at];
    const index = this.indexOf(step.layout, path);
    return index < 0 ? "." : step.states[index];
  }

  indexOf(layout, path) {
    const nodes = this.layouts[layout];
    if (!nodes.places) nodes.places = new Map(nodes.map((node, index) => [node.path, index]));
    return nodes.places.has(path) ? nodes.places.get(path) : -1;
  }
}

function pathOf(layout, node) {  // As Behaviour.path.
  if (node.parent === null) return node.name;
  const parent = layout[node.parent];
  const same = parent.children.filter((child) => layout[child].name === node.name);
  const place = parent.children.findIndex((child) => layout[child] === node);
  return `${parent.path}/${node.name}` + (same.length > 1 ? `[${place}]` : "");
}
