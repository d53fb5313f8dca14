// The running games, and the rest of the page kept up to date.
const byId = id => document.getElementById(id);
let answered = Date.now();
// A runner that is stopped, or whose cable is out, keeps its readers waiting: that is no answer, either.
const ask = (path, patience) => fetch(path, { cache: "no-store", signal: AbortSignal.timeout(patience) });
// When its tournament was begun: this tells a page from that of another tournament on the same port.
const mark = page => (page.getElementById("live-data") || {}).textContent;

function side(game, colour) {
  const line = document.createElement("p"), name = document.createElement("b"), facts = document.createElement("span");
  const thought = game.thoughts[colour], mover = game.black === (colour === 1);
  name.textContent = game.names[colour];
  name.title = game.names[colour];
  if (mover) name.className = "now";
  const clock = game.clocks[colour];
  const left = clock === null ? "" : duration(Math.max(clock - (mover ? game.thinking_ms : 0), 0));
  const depth = thought && thought.depth !== null ? `/${thought.depth}` : "";
  facts.textContent = `${thought ? pawns(thought.score) + depth : ""} ${left}`;
  line.append(name, facts);
  return line;
}

function card(game) {
  const box = document.createElement("div"), svg = element("svg", { viewBox: "0 0 360 360", role: "img" });
  const line = document.createElement("small"), state = parse(game.fen);
  svg.setAttribute("aria-label", `Game ${game.game}: ${game.names[0]} against ${game.names[1]}`);
  const marked = game.last ? [square(game.last), square(game.last.slice(2))] : [];
  draw(svg, state.board, marked, false);
  const last = game.thoughts[game.black ? 0 : 1];
  line.textContent = `Game ${game.game}, ply ${game.plies}${last && last.line ? ": " + last.line : ""}`;
  line.title = line.textContent;
  box.className = "lg";
  box.append(side(game, 1), svg, side(game, 0), line);
  return box;
}

function tell(text, gone) {
  const state = byId("l-state");
  if (state.textContent !== text) state.textContent = text;
  state.className = gone ? "gone" : "";
}

async function boards() {
  try {
    const reply = await ask("/boards.json", 4000);
    if (!reply.ok) throw new Error(String(reply.status));
    const { games } = await reply.json();
    answered = Date.now();
    tell(games.length === 1 ? "1 game is being played." : `${games.length} games are being played.`, false);
    byId("l-boards").replaceChildren(...games.map(card));
  } catch (silence) {
    const time = new Date(answered).toLocaleTimeString();
    const why = "it has ended, was killed, is stopped, or is out of reach";
    tell(`The runner has not answered since ${time}: ${why}. This page goes on when it answers again.`, true);
  }
}

// The viewer has its games changed under it, and what it says of them.
function renew(section, fresh, games, text) {
  if (games.textContent === text) return;
  games.textContent = text;
  const says = section.querySelector("p"), saying = fresh.querySelector("p");
  if (says && saying && !says.closest("#viewer")) says.textContent = saying.textContent;
  byId("viewer").dispatchEvent(new Event("fresh"));
}

// Sections without a script of their own are replaced by those of a fresh page. Where a reader has opened or scrolled
// something it stays so, and what a reader has selected, or is at, waits.
async function rest() {
  try {
    // A page with many games takes a slow line a while.
    const reply = await ask("/", 60000);
    if (!reply.ok) return;
    const fresh = new DOMParser().parseFromString(await reply.text(), "text/html");
    const old = [...document.querySelectorAll("main > section")], next = [...fresh.querySelectorAll("main > section")];
    // What has no sections is no such page, and to load it would end this one.
    if (next.length === 0) return;
    const another = mark(fresh) !== mark(document);
    if (another || old.length !== next.length) {
      // A game that the viewer plays comes to its end first.
      if (document.querySelector("[data-busy]")) return;
      // The address leads to a game of the tournament that is gone.
      if (another) history.replaceState(null, "", location.pathname);
      location.reload();
      return;
    }
    const selection = getSelection(), boxes = node => [...node.querySelectorAll(".t")];
    old.forEach((section, index) => {
      if (selection && !selection.isCollapsed && selection.containsNode(section, true)) return;
      const games = section.querySelector("#games-data"), newer = next[index].querySelector("#games-data");
      if (games && newer) { renew(section, next[index], games, newer.textContent); return; }
      const open = [...section.querySelectorAll("details")].map(details => details.open);
      if (section.querySelector("script") || section.contains(document.activeElement)) return;
      const made = document.importNode(next[index], true);
      made.querySelectorAll("details").forEach((details, at) => { details.open = open[at] || false; });
      if (section.innerHTML === made.innerHTML) return;
      const places = boxes(section).map(box => [box.scrollLeft, box.scrollTop]);
      section.replaceWith(made);
      // Only what is in the document can be scrolled.
      boxes(made).forEach((box, at) => { [box.scrollLeft, box.scrollTop] = places[at] || [0, 0]; });
    });
  } catch (silence) { /* the boards say so */ }
}

// Again and again, each time so many milliseconds after the last answer: there is never more than one question open.
async function again(action, pause) {
  await action();
  setTimeout(again, pause, action, pause);
}
again(boards, 1000);
setTimeout(again, 4000, rest, 5000);
