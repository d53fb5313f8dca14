// The viewer of finished games.
let data = JSON.parse(document.getElementById("games-data").textContent);
const at = id => document.getElementById(id);
const root = at("viewer");
// The board after a move in coordinates; a king that takes its own rook castles, as in Chess960.
function play(board, move) {
  const next = board.slice(), from = square(move), to = square(move.slice(2));
  const piece = board[from] || "", target = board[to] || "";
  if (!piece) return next;
  const kind = piece.toLowerCase(), rank = from & ~7;
  const ownRook = kind === "k" && target.toLowerCase() === "r" && isWhite(target) === isWhite(piece);
  if (ownRook || (kind === "k" && Math.abs((from & 7) - (to & 7)) > 1)) {
    const short = (to & 7) > (from & 7);
    const rook = ownRook ? to : rank + (short ? 7 : 0), tower = board[rook];
    next[from] = ""; next[rook] = "";
    next[rank + (short ? 6 : 2)] = piece; next[rank + (short ? 5 : 3)] = tower;
    return next;
  }
  if (kind === "p" && (from & 7) !== (to & 7) && !target) next[rank + (to & 7)] = "";
  next[from] = "";
  const promoted = move[4];
  next[to] = promoted ? (isWhite(piece) ? promoted.toUpperCase() : promoted.toLowerCase()) : piece;
  return next;
}

// A game with everything that is drawn of it.
function load(game) {
  const start = parse(game.f), words = text => text ? text.split(" ") : [];
  const moves = words(game.m), sans = words(game.s), boards = [start.board];
  for (const move of moves) boards.push(play(boards[boards.length - 1], move));
  const sideOf = ply => ((ply % 2 === 0) === start.black ? "b" : "w");
  const numberOf = ply => start.number + Math.floor((ply + (start.black ? 1 : 0)) / 2);
  return { game, start, moves, sans, boards, sideOf, numberOf };
}

let shown = null, ply = 0, turned = false, list = [], timer = null, addressed = false;

function clockOf(side) {
  const { game } = shown;
  for (let at = ply - 1; at >= 0; at -= 1) if (shown.sideOf(at) === side && game.c[at] !== null) return duration(game.c[at]);
  return "";
}

function drawBoard() {
  const last = ply > 0 ? shown.moves[ply - 1] : "";
  draw(at("v-board"), shown.boards[ply], last ? [square(last), square(last.slice(2))] : [], turned);
}

// Pawns to height: linear near zero, ever flatter beyond.
const height = score => 55 - 52 * Math.atan(score / 200) / (Math.PI / 2);

function drawEvals() {
  const svg = at("v-evals"), { game, moves } = shown, count = Math.max(moves.length, 1);
  const place = at => 2 + 356 * at / count;
  svg.replaceChildren();
  for (const level of [-500, -100, 0, 100, 500]) {
    const y = height(level), stroke = level === 0 ? "var(--soft)" : "var(--rule)";
    element("path", { d: `M0 ${y}H360`, stroke }, svg);
  }
  for (const [side, colour] of [["w", "var(--c1)"], ["b", "var(--c2)"]]) {
    const points = [];
    for (let at = 0; at < moves.length; at += 1) {
      if (shown.sideOf(at) !== side || game.v[at] === null) continue;
      const score = side === "w" ? game.v[at] : -game.v[at];
      points.push(`${place(at + 1).toFixed(1)},${height(score).toFixed(1)}`);
    }
    element("polyline", { points: points.join(" "), fill: "none", stroke: colour, "stroke-width": 1.8 }, svg);
  }
  element("path", { d: `M${place(ply)} 0V110`, stroke: "var(--ink)", "stroke-dasharray": "2 3" }, svg);
}

function say() {
  const { game } = shown, names = { w: data.players[game.w], b: data.players[game.b] };
  const top = turned ? "w" : "b", bottom = turned ? "b" : "w";
  at("v-top").textContent = names[top]; at("v-bottom").textContent = names[bottom];
  at("v-top-clock").textContent = clockOf(top); at("v-bottom-clock").textContent = clockOf(bottom);
  if (ply === 0) {
    at("v-says").textContent = `Game ${game.n}. ${data.openings[game.o] || ""}`;
    return;
  }
  const now = ply - 1, side = shown.sideOf(now);
  const move = `${shown.numberOf(now)}${side === "w" ? "." : "\u2026"} ${shown.sans[now] || shown.moves[now]}`;
  if (now < game.p) { at("v-says").textContent = `${move}: from the opening`; return; }
  const parts = [];
  if (game.v[now] !== null) parts.push(`${pawns(game.v[now])} by ${names[side]}`);
  if (game.d[now] !== null) parts.push(`depth ${game.d[now]}`);
  if (game.u[now] !== null) parts.push(duration(game.u[now]));
  if (game.k[now] !== null) parts.push(`${game.k[now].toLocaleString("en")} nodes`);
  if (!parts.length) { at("v-says").textContent = move; return; }
  const other = now > 0 && game.v[now - 1] !== null ? `; before, ${pawns(game.v[now - 1])} by ${names[side === "w" ? "b" : "w"]}` : "";
  at("v-says").textContent = `${move}: ${parts.join(", ")}${other}`;
}

function drawMoves() {
  const box = at("v-moves");
  box.replaceChildren();
  shown.moves.forEach((move, index) => {
    if (shown.sideOf(index) === "w" || index === 0) {
      box.append(`${shown.numberOf(index)}${shown.sideOf(index) === "w" ? "." : "\u2026"} `);
    }
    const button = document.createElement("button");
    button.type = "button"; button.tabIndex = -1; button.textContent = shown.sans[index] || move;
    if (index < shown.game.p) button.className = "b";
    button.addEventListener("click", () => go(index + 1));
    box.append(button, " ");
  });
  at("v-end").textContent = `${shown.game.r.replace(/1\/2/g, "\u00BD")} \u2014 ${shown.game.y || shown.game.e}`;
}

function go(to) {
  ply = Math.min(Math.max(to, 0), shown.moves.length);
  drawBoard(); drawEvals(); say();
  const box = at("v-moves"), buttons = box.querySelectorAll("button");
  buttons.forEach((button, index) => button.setAttribute("aria-current", String(index === ply - 1)));
  const current = buttons[ply - 1];
  if (current) {
    const above = current.offsetTop - box.offsetTop;
    if (above < box.scrollTop || above > box.scrollTop + box.clientHeight - 30) box.scrollTop = above - box.clientHeight / 2;
  } else box.scrollTop = 0;
  if (addressed) try { history.replaceState(null, "", `#g${shown.game.n}.${ply}`); } catch (refused) { /* a page without an address */ }
}

// Marks the row of the shown game; returns it.
function select() {
  let found = null;
  for (const row of at("v-games").children) {
    const mine = row.dataset.n === String(shown.game.n);
    row.setAttribute("aria-selected", String(mine));
    if (mine) found = row;
  }
  return found;
}

function open(game, to) {
  shown = load(game);
  const row = select();
  if (row) {
    const box = row.closest(".t"), above = row.offsetTop;
    if (above < box.scrollTop + 30 || above > box.scrollTop + box.clientHeight - 30) box.scrollTop = above - box.clientHeight / 2;
  }
  drawMoves(); go(to);
}

function drawList() {
  const [kind, value] = at("v-filter").value.split(":");
  const fits = game => kind === "all" || (kind === "player" && (game.w === Number(value) || game.b === Number(value)))
    || (kind === "result" && (value === "draw" ? game.r === "1/2-1/2" : game.r !== "1/2-1/2"))
    || (kind === "ending" && game.e === value);
  list = data.games.filter(fits);
  const body = at("v-games");
  body.replaceChildren();
  for (const game of list) {
    const row = document.createElement("tr");
    row.dataset.n = game.n;
    const cells = [game.n, data.players[game.w], data.players[game.b], game.r.replace(/1\/2/g, "\u00BD"), game.e, game.m ? game.m.split(" ").length : 0];
    cells.forEach((text, index) => {
      const cell = document.createElement("td");
      cell.textContent = text;
      if (index === 0 || index === 5) cell.className = "n";
      else cell.title = text;
      row.append(cell);
    });
    row.addEventListener("click", () => open(game, 0));
    body.append(row);
  }
}

function fillFilter() {
  at("v-filter").replaceChildren();
  const add = (value, text) => { const option = document.createElement("option"); option.value = value; option.textContent = text; at("v-filter").append(option); };
  add("all", "all"); add("result:decided", "decided"); add("result:draw", "drawn");
  [...new Set(data.games.map(game => game.e))].sort().forEach(ending => add(`ending:${ending}`, ending));
  if (data.players.length > 2) data.players.forEach((name, number) => add(`player:${number}`, `of ${name}`));
}

// The list of a page that is kept up to date. The shown game and the reader's place stay, whatever is new.
function refresh() {
  data = JSON.parse(document.getElementById("games-data").textContent);
  const chosen = at("v-filter").value, box = at("v-games").closest(".t"), above = box.scrollTop;
  fillFilter();
  at("v-filter").value = chosen;
  if (!at("v-filter").value) at("v-filter").value = "all";
  drawList(); select();
  box.scrollTop = above;
}

function stop() { if (timer) { clearInterval(timer); timer = null; root.removeAttribute("data-busy"); } }

function step(by) {
  const place = list.findIndex(game => game.n === shown.game.n), next = list[place + by];
  if (next) open(next, 0);
}

const ACTIONS = {
  first: () => go(0), back: () => go(ply - 1), forward: () => go(ply + 1), last: () => go(shown.moves.length),
  turn: () => { turned = !turned; go(ply); },
  play: () => {
    if (timer) return stop();
    if (ply === shown.moves.length) go(0);
    timer = setInterval(() => { if (ply >= shown.moves.length) stop(); else go(ply + 1); }, 700);
    // The page does not load itself again meanwhile.
    root.setAttribute("data-busy", "");
  },
};
const KEYS = { ArrowLeft: "back", ArrowRight: "forward", Home: "first", End: "last", f: "turn", " ": "play" };

root.addEventListener("click", event => {
  const button = event.target.closest("[data-go]");
  if (button) { if (button.dataset.go !== "play") stop(); ACTIONS[button.dataset.go](); }
});
root.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.tagName === "SELECT") return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  const down = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (down) step(down);
  else if (KEYS[event.key]) { if (KEYS[event.key] !== "play") stop(); ACTIONS[KEYS[event.key]](); }
  else return;
  event.preventDefault();
});
at("v-evals").addEventListener("click", event => {
  const box = at("v-evals").getBoundingClientRect();
  go(Math.round((event.clientX - box.left) / box.width * shown.moves.length));
});
at("v-filter").addEventListener("change", () => { drawList(); if (list.length) open(list[0], 0); });

fillFilter(); drawList();
function find() {
  const [, number, to] = location.hash.match(/^#g(\d+)\.(\d+)$/) || [];
  const game = data.games.find(one => String(one.n) === number);
  if (game) { open(game, Number(to)); return true; }
  return false;
}
if (find()) root.focus({ preventScroll: true });
else open(data.games[data.games.length - 1], 0);
addressed = true;
addEventListener("hashchange", find);
root.addEventListener("fresh", refresh);
