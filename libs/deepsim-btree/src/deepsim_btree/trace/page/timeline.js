// The timeline: what every node answered, over time. Beside its row, or on a phone below its name.
const isPhone = () => matchMedia("(max-width: 640px)").matches;
const pixels = (name) => parseFloat(getComputedStyle(document.documentElement).getPropertyValue(name));

function chartLeft() {  // on the screen
  const box = byId("nodes").getBoundingClientRect();
  return box.left + (isPhone() ? 0 : treeWidth(byId("nodes").clientWidth));
}

const treeWidth = (width) => Math.round(Math.max(240, Math.min(460, width * 0.4)));

function shownSpan() {  // what of the axis is shown
  const start = run.steps[0].x, end = Math.max(run.end, start + (run.hasTime ? 1e-9 : 1));
  if (choice.from === null) return [start, end];
  if (choice.isFollowing) return [Math.max(start, end - (choice.to - choice.from)), end];
  return [choice.from, choice.to];
}

function drawTimeline() {
  const section = byId("nodes"), canvas = byId("chart"), phone = isPhone();
  const width = section.clientWidth, height = section.clientHeight;
  if (!width || !height) return;
  const across = phone ? 0 : treeWidth(width);
  byId("rows").style.setProperty("--across", phone ? "100%" : `${across}px`);
  const scale = window.devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
    canvas.style.marginBottom = `${-height}px`;
  }
  const paint = canvas.getContext("2d");
  if (!paint) return;
  const style = getComputedStyle(document.documentElement), colour = {};
  for (const name of ["R", "S", "F", "K", "I", "line", "faint", "card", "accent", "soft"]) colour[name] = style.getPropertyValue(`--${name}`);
  const ruler = pixels("--ruler"), rowHeight = pixels("--row");
  const left = phone ? 12 : across + 8, right = width - 12;
  const area = { paint, colour, left, right, ruler, height, rowHeight, phone, top: section.scrollTop };
  paint.setTransform(scale, 0, 0, scale, 0, 0);
  paint.clearRect(0, 0, width, height);
  const [from, to] = shownSpan();
  area.place = (x) => left + ((x - from) / (to - from)) * (right - left);
  area.columns = columnsOf(from, to, right - left);
  drawBars(area);
  drawRuler(area, from, to, width);
  drawCursor(area);
}

// Steps as they fall on the pixels: [first x, last x, first step, last step + 1].
function columnsOf(from, to, width) {
  const columns = [];
  if (!run.steps.length) return columns;
  const scale = width / (to - from);
  let at = run.at(from);
  while (at < run.steps.length && run.steps[at].x <= to) {
    const x = Math.max(0, (run.steps[at].x - from) * scale);
    let next = at + 1;
    // Steps that would be narrower than half a pixel share one.
    while (next < run.steps.length && (run.until(next - 1) - from) * scale - x < 0.5) next++;
    const end = Math.min(width, (run.until(next - 1) - from) * scale);
    columns.push([x, end, at, next]);
    at = next;
  }
  return columns;
}

function drawBars({ paint, colour, left, right, ruler, height, rowHeight, phone, top, columns }) {
  const current = step().layout;
  const first = Math.max(0, Math.floor(top / rowHeight)), last = Math.min(rows.length, Math.ceil((top + height) / rowHeight));
  const bar = phone ? 7 : Math.round(rowHeight * 0.54), inset = phone ? rowHeight - bar - 6 : (rowHeight - bar) / 2;
  for (let row = first; row < last; row++) {
    const y = ruler + row * rowHeight - top;
    paint.fillStyle = colour.line;
    paint.globalAlpha = phone ? 0.6 : 0.45;
    paint.fillRect(left, y + inset + (phone ? bar / 2 - 0.5 : bar / 2), right - left, 1);
    paint.globalAlpha = 1;
    const [index] = rows[row];
    let letter = "", start = 0, end = 0;
    const flush = () => {
      if (colour[letter] === undefined || letter === "") return;
      paint.fillStyle = colour[letter];
      const wide = Math.max(2, end - start - (end - start > 6 ? 1 : 0));
      if (wide > 5) rounded(paint, left + start, y + inset, wide, bar, 3);
      else paint.fillRect(left + start, y + inset, wide, bar);
    };
    for (const [x, until, at, next] of columns) {
      const now = letterOf(index, at, next, current);
      if (now !== letter || x > end + 0.6) {
        flush();
        letter = now;
        start = x;
      }
      end = until;
    }
    flush();
  }
}

// What of some steps on one pixel is drawn: a failure rather than what hides it.
function letterOf(index, at, next, current) {
  let found = "";
  for (let each = at; each < next; each++) {
    const { states, layout: its } = run.steps[each];
    if (its !== current || !isCurrent(states[index])) continue;
    found = states[index];
    if (found === "F") break;
  }
  return found;
}

function rounded(paint, x, y, width, height, radius) {
  paint.beginPath();
  if (paint.roundRect) paint.roundRect(x, y, width, height, radius);
  else paint.rect(x, y, width, height);
  paint.fill();
}

function drawRuler({ paint, colour, left, right, ruler, phone, place }, from, to, width) {
  paint.fillStyle = colour.card;
  paint.fillRect(phone ? 0 : left - 8, 0, width, ruler);
  paint.fillStyle = colour.line;
  paint.fillRect(0, ruler - 1, width, 1);
  paint.font = "11px system-ui, sans-serif";
  paint.textBaseline = "middle";
  const stride = niceStride((to - from) / Math.max(1, (right - left) / (phone ? 60 : 80)));
  const stop = right - 118;  // behind are the buttons
  for (let tick = Math.ceil(from / stride); tick * stride <= to; tick++) {
    const x = place(tick * stride), text = number(tick * stride) + (run.hasTime ? " s" : "");
    paint.fillStyle = colour.line;
    paint.fillRect(x, ruler - 6, 1, 5);
    if (x + paint.measureText(text).width / 2 > stop || x < left) continue;
    paint.fillStyle = colour.faint;
    paint.textAlign = x - left < 14 ? "left" : "center";
    paint.fillText(text, x, ruler / 2 - 2);
  }
}

function niceStride(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1e-9)));
  const stride = [1, 2, 5, 10].find((factor) => factor * power >= least) * power;
  return run.hasTime ? stride : Math.max(1, stride);
}

function drawCursor({ paint, colour, left, right, ruler, height, place }) {
  const from = place(step().x), to = place(run.until(choice.position));
  if (to < left || from > right) return;
  const x = Math.max(left, Math.min(right, from)), wide = Math.min(right, to) - x;
  paint.fillStyle = colour.accent;
  paint.globalAlpha = 0.1;
  paint.fillRect(x, ruler, Math.max(1, wide), height);
  paint.globalAlpha = 1;
  paint.fillRect(x - 0.75, ruler - 7, 1.5, height);
}

function zoom(factor, around = null) {
  const [from, to] = shownSpan(), start = run.steps[0].x, end = Math.max(run.end, start + 1e-9);
  const middle = around === null ? (choice.isFollowing ? to : step().x) : around;
  const least = run.hasTime ? Math.min(1e-3, end - start) : 2;
  const wide = Math.max(least, (to - from) * factor);
  if (wide >= end - start) choice.from = choice.to = null;
  else {
    const share = (middle - from) / (to - from);
    const left = Math.max(start, Math.min(end - wide, middle - wide * (share >= 0 && share <= 1 ? share : 0.5)));
    [choice.from, choice.to] = [left, left + wide];
  }
  draw();
}

function keepCursorInSight() {
  if (choice.from === null || choice.isFollowing) return;
  const { x } = step(), wide = choice.to - choice.from;
  if (x >= choice.from && x <= choice.to) return;
  choice.from = Math.max(run.steps[0].x, x - wide / 2);
  choice.to = choice.from + wide;
}

function atPointer(event) {  // the place on the axis
  const box = byId("nodes").getBoundingClientRect(), left = isPhone() ? box.left + 12 : chartLeft() + 8;
  const [from, to] = shownSpan();
  return from + ((event.clientX - left) / (box.left + byId("nodes").clientWidth - 12 - left)) * (to - from);
}

byId("in").onclick = () => zoom(0.5);
byId("out").onclick = () => zoom(2);
byId("fit").onclick = () => {
  choice.from = choice.to = null;
  draw();
};
byId("nodes").onpointerdown = (event) => {
  const onRuler = event.clientY < byId("nodes").getBoundingClientRect().top + pixels("--ruler");
  if (event.button || event.target.closest("#heads button")) return;
  if (isPhone() ? !onRuler : event.clientX < chartLeft()) return;
  event.preventDefault();
  const scrub = (moved) => {
    const position = run.at(atPointer(moved));
    go(position, server.isLive && position === run.steps.length - 1);
  };
  const done = () => {
    removeEventListener("pointermove", scrub);
    removeEventListener("pointerup", done);
    removeEventListener("pointercancel", done);
  };
  addEventListener("pointermove", scrub);
  addEventListener("pointerup", done);
  addEventListener("pointercancel", done);
  scrub(event);
};
byId("nodes").addEventListener("wheel", (event) => {
  if (event.clientX < chartLeft() || isPhone()) return;
  if (event.ctrlKey || event.metaKey) {
    event.preventDefault();
    zoom(1.0015 ** event.deltaY, atPointer(event));
  } else if (event.deltaX && choice.from !== null) {
    event.preventDefault();
    choice.isFollowing = false;
    const [from, to] = shownSpan(), by = (event.deltaX / byId("nodes").clientWidth) * (to - from);
    const left = Math.max(run.steps[0].x, Math.min(run.end - (to - from), from + by));
    [choice.from, choice.to] = [left, left + to - from];
    draw();
  }
}, { passive: false });
byId("nodes").onscroll = draw;
