// Live: lines come from a server while the tree runs; without one they are in the page.
const STATES = { live: "Live", lost: "Connection lost", ended: "Ended" };

function drawState() {
  byId("state").hidden = !server.state;
  byId("state").dataset.is = server.state;
  byId("state").textContent = STATES[server.state];
}

function takeAll(lines) {
  for (const line of lines) {
    if (line.format) {  // the first line, also after a connection was lost
      run = new Run();
      run.limit = line.limit || Infinity;
      rows = [];
      if (server.isLive) server.state = "live";
    } else run.take(line);
  }
  if (!run.steps.length) return draw();
  if (choice.isFollowing || choice.position < 0 || choice.position >= run.steps.length) choice.position = run.steps.length - 1;
  return draw();
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
    server.isLive = false;
    draw();
  });
}

const lines = JSON.parse(byId("data").textContent);
document.body.dataset.tab = choice.tab;
if (lines.length) takeAll(lines);
else listen();
drawNow();
