// Live: lines come from a server while the tree runs; without one they are in the page.
const STATES = { live: "Live", stopped: "Stopped", lost: "Connection lost", ended: "Ended" };

function drawState() {
  byId("state").hidden = !server.state;
  byId("state").dataset.is = server.state;
  byId("state").textContent = STATES[server.state] + (server.state === "stopped" && server.reason ? `: ${server.reason}` : "");
  byId("hold").hidden = !server.isLive;
  byId("stop").replaceChildren(icon(server.isStopped ? "R" : "pause"), server.isStopped ? "Go on" : "Stop");
  byId("tick").disabled = !server.isStopped;
  byId("measure").setAttribute("aria-pressed", server.isMeasuring);
}

function takeAll(lines) {
  for (const line of lines) {
    if (line.format) {  // the first line, also after a connection was lost
      run = new Run();
      run.limit = line.limit || Infinity;
      rows = [];
    } else if (line.control) takeControl(line.control);
    else if (line.spent) server.spent = { nodes: line.spent, layout: run.layouts.length - 1, count: (server.spent ? server.spent.count : 0) + 1 };
    else run.take(line);
  }
  if (!run.steps.length) return draw();
  if (choice.isFollowing || choice.position < 0 || choice.position >= run.steps.length) choice.position = run.steps.length - 1;
  return draw();
}

function takeControl({ stopped, reason, stops, measuring }) {
  server.isMeasuring = measuring;
  if (!measuring) server.spent = null;
  server.isStopped = stopped;
  server.reason = reason;
  server.state = stopped ? "stopped" : "live";
  choice.stops = new Map(stops);
}

function command(fields) {
  fetch("command", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(fields) })
    .catch(() => {});  // the stream of events shows that the connection is lost
}

function listen() {
  const events = new EventSource("events");
  server.isLive = true;
  events.onmessage = (event) => takeAll(JSON.parse(event.data));
  events.onerror = () => {
    server.state = "lost";
    draw();
  };
  events.addEventListener("ended", () => {
    events.close();
    server.state = "ended";
    server.isLive = server.isStopped = false;
    draw();
  });
}

byId("stop").onclick = () => command({ stopped: !server.isStopped });
byId("measure").onclick = () => command({ measuring: !server.isMeasuring });
byId("tick").onclick = () => command({ tick: true });

const lines = JSON.parse(byId("data").textContent);
document.body.dataset.tab = choice.tab;
if (lines.length) takeAll(lines);
else listen();
drawNow();
