"use strict";
// Replays recorded searches. A pane holds one search: its state at a step, and the drawing of the tree.
const DATA = JSON.parse(document.getElementById("data").textContent);
const INF = 100000,
  SVG = "http://www.w3.org/2000/svg";
const read = (word) => (word === "" ? null : word === "+" ? INF : word === "-" ? -INF : parseInt(word, 36));
// An empty text is one entry that says nothing: that of the root, where it is the whole tree.
const list = (text) => text.split(",").map(read);
const byId = (id) => document.getElementById(id);

// The tree, shared by the panes.
const T = DATA.tree;
const up = list(T.up),
  by = list(T.by),
  rank = list(T.rank),
  leaf = list(T.leaf),
  more = list(T.more);
const N = up.length;
const kids = Array.from({ length: N }, () => []);
const ply = new Array(N).fill(0),
  under = new Array(N).fill(1);
for (let n = 1; n < N; n++) {
  kids[up[n]].push(n);
  ply[n] = ply[up[n]] + 1;
}
for (let n = N - 1; n > 0; n--) under[up[n]] += under[n];
for (const row of kids) row.sort((a, b) => rank[a] - rank[b]);
const minimal = (n) => T.kinds[n] > "0";
const moveName = (n) => (n === 0 ? "" : by[n] === null ? "pass" : T.names[by[n]]);
const dewey = T.board === "";
function label(n) {
  const way = [];
  for (let at = n; at > 0; at = up[at]) way.unshift(moveName(at));
  if (dewey) return ["p", ...way].join(".");
  return way.length ? way.join(" ") : "the root";
}
const isMax = (n) => ply[n] % 2 === 0;
// A tree of more nodes is folded; then about so many are drawn.
const FOLD = 300,
  DRAWN = 120;

let view = "max";
const seen = (value, n) => (view === "max" && !isMax(n) ? -value : value);
const number = (value) => (value >= INF ? "\u221e" : value <= -INF ? "-\u221e" : String(value));
const shown = (value, n) => number(seen(value, n));
function windowText(alpha, beta, n) {
  const [a, b] = view === "max" && !isMax(n) ? [-beta, -alpha] : [alpha, beta];
  return `(${number(a)}, ${number(b)})`;
}
const player = (n) => (isMax(n) ? "MAX" : "MIN");
const plural = (count, word) =>
  `${count} ${count === 1 ? word : word + (/(h|s)$/.test(word) ? "es" : "s")}`;

const COUNTS = [
  ["h", "horizon nodes"],
  ["f", "finished games"],
  ["x", "interior nodes"],
  ["c", "left by a cut-off"],
  ["a", "searched to the end"],
  ["q", "quiescence nodes"],
  ["r", "re-searches"],
  ["p", "passes"],
  ["i", "table hits"],
  ["t", "table cut-offs"],
  ["n", "windows narrowed"],
  ["E", "ETC cut-offs"],
  ["N", "null-move cut-offs"],
  ["R", "null moves refused"],
  ["P", "ProbCut cut-offs"],
  ["d", "pruned"],
  ["+", "extended"],
  ["-", "reduced"],
  ["o", "hand-overs"],
  ["D", "deferred"],
  ["v", "aborted"],
];
const COUNT_OF = { z: "d" };
const ENDS = "hfqcastENPz";
const ARGS = {
  e: 2,
  n: 2,
  i: 2,
  b: 2,
  B: 2,
  h: 1,
  f: 1,
  q: 1,
  c: 1,
  a: 1,
  s: 1,
  t: 1,
  E: 1,
  N: 1,
  P: 1,
  z: 1,
  m: 1,
  d: 2,
  "+": 1,
  "-": 1,
};
// What is said of a branch before it is searched, and holds while it is.
const DEPTHS = ["deeper", "shallower"];
const BADGE = { c: "C", t: "T", E: "E", N: "N", P: "P", z: "Z" };

class Search {
  constructor(data) {
    this.data = data;
    this.ops = data.ops;
    this.at = list(data.at);
    const args = list(data.args);
    this.args = [];
    let next = 0;
    for (const op of this.ops) {
      this.args.push(next);
      next += ARGS[op] || 0;
    }
    this.values = args;
    this.who = data.who === "" ? null : list(data.who);
    this.time = data.time === "" ? null : list(data.time);
    this.step = 0;
    this.undo = [];
    this.marks = [];
    this.dirty = new Set();
    const per = (value) => new Array(N).fill(value);
    // 0 untouched, 1 being searched, 2 has a value, 3 aborted, 4 deferred.
    this.status = per(0);
    this.alpha = per(-INF);
    this.beta = per(INF);
    this.best = per(null);
    this.before = per(null);
    // Is the node worth its best value at least? It is not where the branch that gave the value was cut off itself.
    this.firm = per(false);
    this.firmBefore = per(false);
    // A quiescence search has a window, too: its values may be bounds.
    this.leaves = /\+quiesce/.test(data.name) ? "f" : "hf";
    this.value = per(null);
    this.why = per("");
    this.visits = per(0);
    this.again = per(0);
    this.entered = per(-1);
    this.touched = per(-1);
    // The visits that have begun and not ended, of all processors.
    this.inside = per([]);
    this.note = per("");
    // Branches that the visit has dropped.
    this.drops = per(0);
    this.pass = per(0);
    this.count = {};
    for (const [op] of COUNTS) this.count[op] = 0;
    this.now = { pass: 0 };
    const crew = this.who ? data.processors : 1;
    this.place = new Array(crew).fill(-1);
    this.doing = new Array(crew).fill("has not begun");
  }
  get length() {
    return this.ops.length;
  }
  set(array, key, value) {
    if (array[key] === value) return;
    this.undo.push(array, key, array[key]);
    array[key] = value;
    if (array.length === N) this.dirty.add(key);
  }
  forward() {
    const k = this.step++;
    this.marks.push(this.undo.length);
    const op = this.ops[k],
      n = this.at[k],
      a = this.values[this.args[k]],
      b = this.values[this.args[k] + 1];
    const counted = COUNT_OF[op] || op;
    if (counted in this.count) this.set(this.count, counted, this.count[counted] + 1);
    const me = this.who ? this.who[k] : 0;
    this.set(this.touched, n, k);
    if (op !== "p" && op !== "w") {
      this.set(this.pass, n, this.now.pass);
      this.set(this.place, me, n);
      this.set(this.doing, me, "searches");
    }
    if (ENDS.includes(op)) this.end(n, op, a, k, me);
    else if (op === "e") this.enter(n, a, b, k, me);
    else if (op === "m") {
      this.set(this.best, n, a);
      this.set(this.firm, n, a > this.alpha[n]);
    } else if (op === "n") {
      this.set(this.alpha, n, a);
      this.set(this.beta, n, b);
    } else if (op === "p") {
      this.set(this.now, "pass", this.now.pass + 1);
      this.all = true;
    } else if (op === "r") {
      this.set(this.again, n, this.again[n] + 1);
      // What the narrow window has said of the branch is not its value.
      if (n > 0 && this.status[up[n]] === 1) {
        this.set(this.best, up[n], this.before[n]);
        this.set(this.firm, up[n], this.firmBefore[n]);
      }
    } else if (op === "v") {
      // What another processor has found out stays known.
      if (this.status[n] !== 2) this.set(this.status, n, 3);
      this.set(this.doing, me, "gives up at");
    } else if (op === "D") {
      this.set(this.status, n, this.status[n] === 0 ? 4 : this.status[n]);
      this.set(this.doing, me, "defers");
    } else if (op === "w") {
      this.set(this.place, me, -1);
      this.set(this.doing, me, "waits");
    } else if (op === "d") this.drop(n, a, b);
    else if (op === "+") this.mark(n, a, "deeper");
    else if (op === "-") this.mark(n, a, "shallower");
    else if (op === "b" || op === "B") {
      this.set(this.best, n, a);
      this.set(this.before, n, b);
      this.set(this.note, n, op === "b" ? "numbers" : "bounds");
    }
  }
  // Keeps the node two numbers, proof and disproof or two bounds, instead of a value?
  hasPair(n) {
    return this.note[n] === "numbers" || this.note[n] === "bounds";
  }
  // A branch that is dropped counts with the bound that its rule gives.
  drop(n, name, bound) {
    this.mark(n, name, "dropped");
    this.set(this.drops, n, this.drops[n] + 1);
    if (bound <= -INF || (this.best[n] !== null && this.best[n] >= bound)) return;
    this.set(this.best, n, bound);
    this.set(this.firm, n, false);
  }
  mark(n, name, what) {
    const child = kids[n].find((m) => by[m] === name);
    if (child !== undefined) this.set(this.note, child, what);
  }
  enter(n, alpha, beta, k, me) {
    const open = this.inside[n];
    // A search within one of this processor's own begins with nothing, and gives back what there was. What other
    // processors have found here so far counts for the newcomer, too.
    const joins = this.status[n] === 1 && open.length > 0 && !open.some((visit) => visit.who === me);
    const outer = {
      alpha: this.alpha[n],
      beta: this.beta[n],
      best: this.best[n],
      firm: this.firm[n],
      drops: this.drops[n],
    };
    this.set(this.inside, n, [...open, { who: me, alpha, beta, entered: k, outer }]);
    this.set(this.status, n, 1);
    this.set(this.alpha, n, alpha);
    this.set(this.beta, n, beta);
    if (!joins) {
      this.set(this.best, n, null);
      this.set(this.firm, n, false);
      this.set(this.drops, n, 0);
    }
    this.set(this.why, n, "");
    // What the last visit has said of its branches is over.
    if (!DEPTHS.includes(this.note[n])) this.set(this.note, n, "");
    for (const child of kids[n])
      if (this.note[child] === "dropped" || DEPTHS.includes(this.note[child])) this.set(this.note, child, "");
    this.set(this.visits, n, this.visits[n] + 1);
    this.set(this.entered, n, k);
    // A processor that has not heard yet of the root's value.
    if (this.who && this.status[0] === 2) this.set(this.status, n, 3);
  }
  // Takes a visit that ends off the list: the processor's own. Of a node that processors share, the one that hands in
  // its value need not be the one that has opened it.
  leave(n, op, me) {
    const open = this.inside[n];
    let index = open.map((visit) => visit.who).lastIndexOf(me);
    if (index < 0 && "ac".includes(op)) index = open.length - 1;
    if (index < 0) return null;
    this.set(
      this.inside,
      n,
      open.filter((_, other) => other !== index),
    );
    return open[index];
  }
  end(n, op, value, k, me) {
    // Does it give the visit that has just ended another value?
    const again =
      k > 0 && this.at[k - 1] === n && ENDS.includes(this.ops[k - 1]) && (!this.who || this.who[k - 1] === me);
    const corrects = op === "s" && (this.status[n] === 2 || again);
    const visit = corrects ? null : this.leave(n, op, me);
    this.set(this.value, n, value);
    // That of a search within one that goes on.
    if (corrects && this.status[n] === 1) return;
    // Of processors in one node the latest to enter need not be the one that ends here.
    if (visit) this.set(this.entered, n, visit.entered);
    const within = visit && this.inside[n].some((other) => other.who === me);
    if (visit && this.inside[n].length > 0) {
      // The window shown may have been another visit's.
      const { alpha, beta } = within ? visit.outer : visit;
      this.set(this.alpha, n, alpha);
      this.set(this.beta, n, beta);
    }
    if (within) {
      this.set(this.best, n, visit.outer.best);
      this.set(this.firm, n, visit.outer.firm);
      this.set(this.drops, n, visit.outer.drops);
      return;
    }
    this.set(this.status, n, 2);
    // A leaf's value that has been brought to the window's end is a bound.
    if (!corrects || "hfq".includes(this.why[n])) this.set(this.why, n, op);
    const above = up[n];
    if (n > 0 && by[n] !== null && this.status[above] === 1 && !this.hasPair(above)) {
      const before = corrects ? this.before[n] : this.best[above],
        firmBefore = corrects ? this.firmBefore[n] : this.firm[above];
      this.set(this.before, n, before);
      this.set(this.firmBefore, n, firmBefore);
      this.set(this.best, above, before === null ? -value : Math.max(before, -value));
      // A branch that is worth at least so much to the other side is worth at most so much to this one.
      const firm = !["\u2265", "?"].includes(this.bound(n));
      if (before === null || -value > before) this.set(this.firm, above, firm);
      else this.set(this.firm, above, firmBefore || (-value === before && firm));
    }
    // Others who are still inside go on below, but for the root's value.
    if (this.who && (n === 0 || this.inside[n].length === 0)) this.voidBelow(n);
  }
  // What is still being searched below a decided node is void.
  voidBelow(n) {
    for (const child of kids[n]) {
      if (this.status[child] === 1 || this.status[child] === 4) this.set(this.status, child, 3);
      if (this.status[child] !== 0) this.voidBelow(child);
    }
  }
  backward() {
    const mark = this.marks.pop();
    this.step--;
    if (this.ops[this.step] === "p") this.all = true;
    while (this.undo.length > mark) {
      const old = this.undo.pop(),
        key = this.undo.pop(),
        array = this.undo.pop();
      array[key] = old;
      if (array.length === N) this.dirty.add(key);
    }
  }
  goto(step) {
    step = Math.max(0, Math.min(this.length, step));
    while (this.step < step) this.forward();
    while (this.step > step) this.backward();
  }
  next(kinds) {
    for (let k = this.step; k < this.length; k++) if (kinds.includes(this.ops[k])) return k + 1;
    return this.step;
  }
  current() {
    return this.step > 0 ? this.at[this.step - 1] : 0;
  }
  // Nothing, or what kind of bound a value is for the side to move: it left the window. "?" says that of the branches
  // so far none is worth more: in a node that is being searched, or that processors share and whose window has closed.
  bound(n) {
    if (this.status[n] === 1) return this.best[n] === null ? "" : this.firm[n] ? "\u2265" : "?";
    if (this.value[n] === null || (this.why[n] && this.leaves.includes(this.why[n]))) return "";
    if (this.why[n] === "c") return this.value[n] === this.best[n] && !this.firm[n] ? "?" : "\u2265";
    if (this.value[n] >= this.beta[n]) return "\u2265";
    // The window of a node that processors share narrows while it is being searched.
    const most = this.value[n] <= this.alpha[n] || (this.why[n] === "a" && !this.firm[n]);
    return most ? "\u2264" : "";
  }
  valueText(n) {
    if (this.note[n] === "numbers") return `${number(this.best[n])}|${number(this.before[n])}`;
    if (this.note[n] === "bounds") {
      const ends = [seen(this.best[n], n), seen(this.before[n], n)].sort((a, b) => a - b);
      return ends[0] === ends[1] ? number(ends[0]) : ends.map(number).join("..");
    }
    const value = this.status[n] === 1 ? this.best[n] : this.value[n];
    if (value === null) return "";
    let sign = this.bound(n);
    if (sign === "?") return shown(value, n) + sign;
    if (sign && view === "max" && !isMax(n)) sign = sign === "\u2265" ? "\u2264" : "\u2265";
    return sign + shown(value, n);
  }
  explain() {
    const k = this.step - 1;
    if (k < 0) return "Nothing has been searched yet. The right arrow makes the first step.";
    const n = this.at[k],
      op = this.ops[k],
      a = this.values[this.args[k]],
      b = this.values[this.args[k] + 1];
    const text = EXPLAIN[op](this, n, a, b);
    const end = this.step === this.length ? " This was the last step." : "";
    return (
      (this.who ? `P${this.who[k] + 1}, ${(this.time[k] / 10).toFixed(1)} \u00b5s: ` : "") + text + end
    );
  }
}

function boundWords(s, n) {
  const sign = s.bound(n);
  // A visit within one that goes on has left no window to tell of.
  if (!["\u2265", "\u2264"].includes(sign) || s.status[n] !== 2) return "";
  const least = (sign === "\u2265") === (view === "side" || isMax(n));
  const inside = s.alpha[n] < s.value[n] && s.value[n] < s.beta[n];
  const where = inside
    ? "The window has narrowed meanwhile"
    : `That lies outside the window ${windowText(s.alpha[n], s.beta[n], n)}`;
  return ` ${where}: it is worth ${least ? "at least" : "at most"} that.`;
}
// Where the other side is sure of something as good, on the way to a node that this value has just cut off.
function holder(s, n, value) {
  for (let at = n, other = true; at > 0; other = !other) {
    const own = at === n && by[n] !== null && s.status[n] === 2;
    at = up[at];
    if (!other || s.status[at] !== 1 || s.hasPair(at)) continue;
    // The node above has taken the value already.
    const has = own ? s.before[n] : s.best[at],
      firm = own ? s.firmBefore[n] : s.firm[at];
    if (has !== null && firm && has >= -value) return [at, has];
  }
  return null;
}
const EXPLAIN = {
  p: (s) => `Pass ${s.now.pass} over the tree begins.`,
  e: (s, n, a, b) => {
    const again = s.visits[n] > 1 ? `, visit ${s.visits[n]}` : "";
    const ask =
      b - a === 1
        ? ` The window has no width: the question is only whether ${isMax(n) || view === "side" ? "the value is more than " + number(a) : "the value is less than " + number(-a)}.`
        : "";
    return `${label(n)}${again}: ${player(n)} is to move, the window is ${windowText(a, b, n)}.${ask}`;
  },
  x: (s, n) =>
    `${label(n)} is an interior node with ${plural(kids[n].filter((m) => by[m] !== null).length + more[n], "branch")}.`,
  h: (s, n, a) => `${label(n)} lies at the horizon. Its value is ${shown(a, n)}.${boundWords(s, n)}`,
  f: (s, n, a) => `The game is over at ${label(n)}: ${shown(a, n)}.`,
  q: (s, n, a) => `The quiescence search leaves ${label(n)} with ${shown(a, n)}.${boundWords(s, n)}`,
  c: (s, n, a) => {
    const left = unsearched(s, n);
    const end = shown(s.beta[n], n),
      high = isMax(n) || view === "side";
    const rest = left
      ? `The ${left === 1 ? "branch" : left + " branches"} after it cannot change that and ${left === 1 ? "is" : "are"} left out.`
      : "There was no branch left to save.";
    // The window of a node that processors share narrows while it is being searched.
    const beyond =
      a < s.beta[n]
        ? "which reaches the end that the window has by now for this processor"
        : `which is ${high ? "not below the upper" : "not above the lower"} end ${end} of the window`;
    if (s.status[n] === 2 && s.bound(n) === "?")
      return `Cut-off at ${label(n)}: the window has closed meanwhile, so nothing found here can count any more. ${rest}`;
    const found = holder(s, n, a);
    const reason = found
      ? `${player(found[0])} has ${shown(found[1], found[0])} at ${label(found[0])} and will not go here.`
      : "That answers what the window asks.";
    return `Cut-off at ${label(n)}: ${player(n)} already has ${shown(a, n)}, ${beyond}. ${reason} ${rest}`;
  },
  a: (s, n, a) =>
    `Every branch of ${label(n)} has been searched${s.drops[n] ? " or dropped" : ""}: ${shown(a, n)}.${boundWords(s, n)}`,
  s: (s, n, a) =>
    /^conspiracy/.test(s.data.name)
      ? `By what has been developed so far ${label(n)} is worth ${shown(a, n)}.`
      : `${label(n)} is settled with ${shown(a, n)}.`,
  r: (s, n) => {
    const above = up[n];
    const least = s.before[n] === null ? s.alpha[above] : Math.max(s.alpha[above], s.before[n]);
    const back =
      s.value[n] === null
        ? ""
        : ` It came back with ${s.valueText(n)} through a window without width, which lies inside the window ${windowText(least, s.beta[above], above)} of ${label(above)}: ${s.bound(n) ? "a bound, and not its value" : "for all that the search knows a bound"}.`;
    return `Re-search of ${label(n)}.${back} So the branch is searched again through a wider window.`;
  },
  i: (s, n, a, b) =>
    `The table knows ${label(n)}: its value lies from ${windowText(a, b, n).replace(/[()]/g, "").replace(",", " to")}.`,
  t: (s, n, a) =>
    `Table cut-off at ${label(n)}: the entry's ${shown(a, n)} answers the question ${windowText(s.alpha[n], s.beta[n], n)} without a search.`,
  n: (s, n, a, b) => `The table's bounds narrow the window at ${label(n)} to ${windowText(a, b, n)}.`,
  E: (s, n, a) =>
    `ETC cut-off at ${label(n)}: the table's entry of a successor already proves ${shown(a, n)}.`,
  N: (s, n, a) => `Null-move cut-off at ${label(n)}: ${player(n)} passes and still has ${shown(a, n)}.`,
  R: (s, n) =>
    `The verification search at ${label(n)} does not confirm the null move: the node is searched after all.`,
  P: (s, n, a) =>
    `ProbCut at ${label(n)}: a shallow search makes it likely enough that the value lies beyond ${shown(a, n)}.`,
  z: (s, n, a) => `Razoring: ${label(n)} is too far behind. It counts as ${shown(a, n)} at best.`,
  d: (s, n, a, b) =>
    `The branch ${T.names[a]} of ${label(n)} is dropped unsearched` +
    (b <= -INF ? " for its rank." : `: by the rule it brings no ${isMax(n) || view === "side" ? "more" : "less"} than ${shown(b, n)}.`),
  m: (s, n, a) =>
    `${label(n)} has ${shown(a, n)} by now: what a test of its branches has found does not count, and a branch that is searched deeper counts with its new value.`,
  "+": (s, n, a) => `The branch ${T.names[a]} of ${label(n)} is searched deeper.`,
  "-": (s, n, a) => `The branch ${T.names[a]} of ${label(n)} is searched less deeply.`,
  b: (s, n, a, b) =>
    `${label(n)}: ${leaves(a)} must still go ${player(n)}'s way to prove it for ${player(n)}, ${leaves(b)} to disprove it.`,
  B: (s, n) =>
    `The branches of ${label(n)} put its value between ${s.valueText(n).replace("..", " and ")}.`,
  o: (s, n) => `takes ${label(n)} over; another processor opened the node above.`,
  D: (s, n) => `another processor is at ${label(n)}; it is deferred until the others are done.`,
  v: (s, n) => {
    const give = `gives ${label(n)} up: `;
    const end = ", so nothing found here can count any more. The subtree is aborted.";
    for (let at = n; at > 0; at = up[at]) {
      const above = up[at];
      if (s.status[above] === 2)
        return `${give}${label(above)} is decided with ${s.valueText(above)}${end}`;
      if (at === n || s.best[at] === null || s.best[above] === null) continue;
      if (s.best[at] < -s.best[above]) continue;
      const [here, there] = [s.valueText(at), s.valueText(above)];
      return `${give}${label(above)} has ${there} by now, and ${label(at)} has ${here}${end}`;
    }
    return `${give}the window above has closed${end}`;
  },
  w: () => "finds no branch that may be started, and waits.",
};
const leaves = (count) =>
  count >= INF ? "no number of leaves" : count === 1 ? "1 leaf" : `${count} leaves`;
// Branches of a node that its last visit neither reached nor dropped.
function unsearched(s, n) {
  return more[n] + kids[n].filter((m) => by[m] !== null && s.touched[m] < s.entered[n]).length - s.drops[n];
}

function element(tag, attributes, parent) {
  const made = document.createElementNS(SVG, tag);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (parent) parent.appendChild(made);
  return made;
}
function html(tag, attributes, parent, text) {
  const made = document.createElement(tag);
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  if (text !== undefined) made.textContent = text;
  if (parent) parent.appendChild(made);
  return made;
}

// A text of a drawn node, which has an element only once there is something to write.
function write(made, name, kind, x, y, text) {
  if (!made[name] && text) made[name] = element("text", { x, y }, made.group);
  if (!made[name]) return;
  if (made[name].textContent !== text) made[name].textContent = text;
  if (made[name].getAttribute("class") !== kind) made[name].setAttribute("class", kind);
}
// Two short bars across an edge that a cut-off has left out.
function cross(made, ax, ay, x, y) {
  const [cx, cy] = [x + (ax - x) * 0.25, y - TALL + (ay + 2 * TALL - y) * 0.25];
  const d = `M${cx - 6} ${cy - 2}h12M${cx - 6} ${cy + 2}h12`;
  made.cross = () => element("path", { class: "x", d }, made.edge.parentNode);
}
function bar(made, on) {
  if (on && !made.bar) made.bar = made.cross();
  if (made.bar) made.bar.setAttribute("visibility", on ? "visible" : "hidden");
}

const WIDE = T.board === "chess" ? 58 : 48,
  HIGH = 74,
  HALF = 19,
  TALL = 11;

// A search with its drawing.
class Pane {
  constructor(data, index) {
    this.s = new Search(data);
    this.index = index;
    this.pinned = new Map();
    this.drawn = new Map();
    this.chosen = null;
    const box = html("section", { class: "pane", "aria-label": data.name }, byId("panes"));
    html("h2", {}, box, data.name);
    html("p", { class: "what" }, box, data.what);
    const line = html("div", { class: "step" }, box);
    this.slider = html(
      "input",
      { type: "range", min: 0, max: this.s.length, value: 0, "aria-label": `Step of ${data.name}` },
      line,
    );
    this.out = html("output", {}, line);
    this.say = html("p", { class: "say", "aria-live": "polite" }, box);
    this.tree = html(
      "div",
      { class: "tree", role: "region", "aria-label": `Tree of ${data.name}`, tabindex: 0 },
      box,
    );
    this.svg = element("svg", { role: "group", "aria-label": `Tree of ${data.name}` }, this.tree);
    this.jumps(box);
    const foot = html("div", { class: "foot" }, box);
    this.counters(foot);
    if (this.s.who) this.crew = html("ul", { class: "crew", "aria-label": "Processors" }, foot);
    if (T.board) {
      const figure = html("figure", {}, foot);
      this.board = element(
        "svg",
        {
          width: 200,
          height: T.board === "chess" ? 200 : 172,
          viewBox: T.board === "chess" ? "0 0 360 360" : "0 0 350 300",
          role: "img",
        },
        figure,
      );
      this.caption = html("figcaption", {}, figure);
    }
    this.slider.addEventListener("input", () => {
      active = this;
      move(this, Number(this.slider.value));
    });
    box.addEventListener("pointerdown", () => {
      active = this;
    });
    box.addEventListener("focusin", () => {
      active = this;
    });
  }
  jumps(box) {
    const kinds = [
      ["cut-off", "c"],
      ["re-search", "r"],
      ["table cut-off", "tE"],
      ["pruning", "NPzd"],
      ["aborted", "v"],
      ["deferred", "D"],
      ["pass", "p"],
    ];
    const row = html("div", { class: "jumps" }, box);
    for (const [name, ops] of kinds) {
      if (![...ops].some((op) => this.s.ops.includes(op))) continue;
      const button = html("button", { type: "button" }, row, `next ${name}`);
      button.addEventListener("click", () => {
        const to = this.s.next(ops);
        // Those beside a search that has ended may be further than it.
        if (to > this.s.step) move(this, to);
      });
    }
  }
  counters(foot) {
    const table = html("dl", { "aria-label": "Counters" }, foot);
    this.cells = [];
    for (const [op, name] of COUNTS) {
      if (![...this.s.ops].some((other) => (COUNT_OF[other] || other) === op)) continue;
      html("dt", {}, table, name);
      this.cells.push([op, html("dd", {}, table, "0")]);
    }
  }
  // Nodes whose branches are drawn.
  open() {
    if (N <= FOLD || !byId("fold").checked) return (n) => kids[n].length > 0 || more[n] > 0;
    const open = new Set([0]);
    const places = this.s.who ? this.s.place.filter((n) => n >= 0) : [];
    for (const place of [this.s.current(), ...places])
      for (let n = place; ; n = up[n]) {
        if (kids[n].length) open.add(n);
        if (n === 0) break;
      }
    let budget = DRAWN;
    for (const n of open) budget -= kids[n].length;
    for (const n of [...open])
      for (const child of kids[n]) {
        if (open.has(child) || under[child] > 6 || under[child] < 2 || budget < under[child]) continue;
        budget -= under[child];
        open.add(child);
      }
    for (const [n, wish] of this.pinned)
      if (wish) open.add(n);
      else open.delete(n);
    return (n) => open.has(n);
  }
  layout() {
    const open = this.open();
    const place = new Map();
    let slot = 0,
      deepest = 0;
    const visit = (n) => {
      deepest = Math.max(deepest, ply[n]);
      let left = null,
        right = null;
      if (open(n)) {
        for (const child of kids[n]) {
          const x = visit(child);
          if (left === null) left = x;
          right = x;
        }
        if (more[n] > 0) {
          const x = slot++;
          place.set(-1 - n, x);
          if (left === null) left = x;
          right = x;
          deepest = Math.max(deepest, ply[n] + 1);
        }
      }
      const x = left === null ? slot++ : (left + right) / 2;
      place.set(n, x);
      return x;
    };
    visit(0);
    return { place, open, width: Math.max(slot * WIDE, 120), height: deepest * HIGH + 76 };
  }
  draw() {
    const plan = this.layout();
    const key = [...plan.place.keys()].join();
    if (key === this.key) return false;
    this.key = key;
    this.plan = plan;
    this.svg.replaceChildren();
    this.svg.setAttribute("width", plan.width);
    this.svg.setAttribute("height", plan.height);
    this.drawn.clear();
    const edges = element("g", {}, this.svg),
      nodes = element("g", {}, this.svg);
    for (const n of plan.place.keys())
      if (n >= 0) this.place(n, edges, nodes);
      else this.stub(-1 - n, edges, nodes);
    return true;
  }
  xy(n) {
    return [this.plan.place.get(n) * WIDE + WIDE / 2, ply[n] * HIGH + 34];
  }
  place(n, edges, nodes) {
    const [x, y] = this.xy(n),
      made = {};
    if (n > 0) {
      const [ax, ay] = this.xy(up[n]);
      made.edge = element("line", { x1: ax, y1: ay + TALL, x2: x, y2: y - TALL }, edges);
      cross(made, ax, ay, x, y);
      element("text", { class: "m", x: x, y: y - TALL - 5 }, nodes).textContent = moveName(n);
    }
    const group = element("g", {}, nodes);
    made.group = group;
    const shape = { x: x - HALF, y: y - TALL, width: 2 * HALF, height: 2 * TALL, rx: isMax(n) ? 1 : TALL };
    const rect = element("rect", shape, group);
    made.x = x;
    made.y = y;
    const folds = N > FOLD && byId("fold").checked && kids[n].length > 0;
    if (folds && !this.plan.open(n)) {
      element("path", { class: "k", d: `M${x} ${y + TALL}l10 14h-20z` }, group);
      element("text", { class: "f", x, y: y + TALL + 25 }, group).textContent = under[n] - 1;
      made.low = 26;
    }
    // What a screen reader meets: a button where there is something to fold, else a picture.
    made.named = folds ? rect : group;
    made.named.setAttribute("role", folds ? "button" : "img");
    if (folds) {
      rect.setAttribute("tabindex", 0);
      rect.setAttribute("aria-expanded", this.plan.open(n));
    }
    group.addEventListener("click", () => this.choose(n, folds));
    group.addEventListener("keydown", (event) => {
      if (!folds || (event.key !== "Enter" && event.key !== " ")) return;
      event.preventDefault();
      event.stopPropagation();
      this.choose(n, true);
      const again = this.drawn.get(n);
      if (again) again.named.focus();
    });
    this.drawn.set(n, made);
  }
  stub(n, edges, nodes) {
    const [ax, ay] = this.xy(n),
      x = this.plan.place.get(-1 - n) * WIDE + WIDE / 2,
      y = ay + HIGH;
    const made = { stub: true };
    made.edge = element("line", { x1: ax, y1: ay + TALL, x2: x, y2: y - TALL, class: "e stub" }, edges);
    cross(made, ax, ay, x, y);
    element("text", { class: "f", x, y: y + 2 }, nodes).textContent = `+${more[n]}`;
    this.drawn.set(-1 - n, made);
  }
  choose(n, folds) {
    this.chosen = n;
    if (folds) {
      this.pinned.set(n, !this.plan.open(n));
      this.draw();
      this.paintAll();
    }
    this.showBoard();
  }
  paintAll() {
    for (const n of this.drawn.keys()) this.paint(n);
  }
  cutOff(n) {
    const s = this.s;
    return s.why[n] === "c" && s.status[n] === 2;
  }
  paint(n) {
    const made = this.drawn.get(n),
      s = this.s;
    if (!made) return;
    if (made.stub) {
      bar(made, this.cutOff(-1 - n));
      return;
    }
    const now = s.step > 0 && s.current() === n,
      why = s.status[n] === 2 ? s.why[n] : "";
    const crew = [];
    if (s.who)
      s.place.forEach((place, p) => {
        if (place === n) crew.push(`P${p + 1}`);
      });
    let kind = `n s${s.status[n]}`;
    if ("hfq".includes(why) && why) kind += " leaf";
    if (why === "c") kind += " cut";
    if (why === "t" || why === "E") kind += " tab";
    if (s.status[n] === 2 && s.pass[n] < s.now.pass && n > 0) kind += " old";
    if (now) kind += " now";
    made.group.setAttribute("class", kind);
    const untouched = s.status[n] === 0 && leaf[n] !== null;
    const text = untouched ? shown(leaf[n], n) : s.valueText(n);
    const low = made.y + TALL + 11 + (made.low || 0),
      high = made.y - TALL - 2;
    const tint = { c: " c", t: " t" }[why] || "";
    write(made, "value", "v", made.x, made.y + 4, text);
    write(made, "badge", "b" + tint, made.x + HALF + 5, made.y + 4, this.badge(n, why));
    const open = s.status[n] === 1 && !s.hasPair(n);
    write(made, "window", "w", made.x, low, open ? windowText(s.alpha[n], s.beta[n], n) : "");
    write(made, "crew", "p", made.x - HALF, high, crew.length > 2 ? `${crew.length} P` : crew.join(" "));
    const below = kids[n].length ? `, ${under[n] - 1} below` : "";
    const words = `${label(n)}, ${player(n)}, ${STATUS[s.status[n]]}${text ? ", " + text : ""}${below}`;
    made.named.setAttribute("aria-label", words);
    if (made.edge) {
      const on = s.status[n] === 1 && s.status[up[n]] === 1;
      made.edge.setAttribute("class", "e" + (minimal(n) ? " min" : "") + (on ? " on" : ""));
      const skipped = this.cutOff(up[n]) && s.touched[n] < s.entered[up[n]];
      bar(made, skipped);
    }
  }
  badge(n, why) {
    const s = this.s;
    if (s.status[n] === 3) return "V";
    if (s.status[n] === 4) return "D";
    const noted = { dropped: "X", deeper: "+", shallower: "-" }[s.note[n]];
    const again = s.again[n] ? "R" : "";
    return noted || (again && s.status[n] === 1 ? again : BADGE[why] || again);
  }
  // Shows the state after a move. `from` is the node that was current before.
  show(from, places) {
    const s = this.s;
    if (this.draw() || s.all || s.dirty.size > this.drawn.size) this.paintAll();
    else {
      const dirty = new Set(s.dirty);
      for (const n of s.dirty) {
        if (this.drawn.has(-1 - n)) dirty.add(-1 - n);
        if (this.cutOff(n) || s.status[n] === 1) for (const child of kids[n]) dirty.add(child);
      }
      for (const n of [from, s.current(), ...places, ...s.place]) if (n >= 0) dirty.add(n);
      for (const n of dirty) this.paint(n);
    }
    s.dirty.clear();
    s.all = false;
    this.slider.value = s.step;
    this.out.textContent = `${s.step} of ${s.length}`;
    this.say.textContent = s.explain();
    this.slider.setAttribute("aria-valuetext", `${s.step} of ${s.length}`);
    for (const [op, cell] of this.cells) cell.textContent = s.count[op].toLocaleString("en");
    if (this.crew) this.showCrew();
    this.chosen = null;
    this.showBoard();
    this.follow();
  }
  showCrew() {
    this.crew.replaceChildren();
    this.s.doing.forEach((what, p) => {
      const place = this.s.place[p];
      html("li", {}, this.crew, `P${p + 1} ${what}${place >= 0 ? " " + label(place) : ""}`);
    });
  }
  showBoard() {
    if (!this.board) return;
    const n = this.chosen === null ? this.s.current() : this.chosen;
    this.caption.textContent = label(n);
    this.board.setAttribute("aria-label", `Position: ${T.boards[n]}`);
    (T.board === "chess" ? chessBoard : fourBoard)(this.board, T.boards[n]);
  }
  // Scrolls the current node into sight.
  follow() {
    const n = this.s.current();
    if (!this.plan.place.has(n)) return;
    const [x, y] = this.xy(n),
      box = this.tree;
    if (x < box.scrollLeft + 40 || x > box.scrollLeft + box.clientWidth - 40)
      box.scrollLeft = x - box.clientWidth / 2;
    if (y < box.scrollTop + 40 || y > box.scrollTop + box.clientHeight - 40)
      box.scrollTop = y - box.clientHeight / 2;
  }
}
const STATUS = ["not searched", "being searched", "searched", "aborted", "deferred"];

const MEN = {
  p: "M22.5 10a6 6 0 0 1 4 10.4c3 3 5 8 5.5 14.6h-19c.5-6.6 2.5-11.600 5.500-14.600a6 6 0 0 1 4-10.400z",
  r: "M12 9h5v4h3V9h5v4h3V9h5v9l-4 3v10l4 5H12l4-5V21l-4-3z",
  b: "M22.5 6a3 3 0 0 1 2 5.200c5 4 7 8 5.500 12.800l-3 4 4.500 8h-18l4.500-8-3-4c-1.500-4.800.500-8.800 5.500-12.800a3 3 0 0 1 2-5.200z",
  n: "M14 36c0-8 8-11 8-16-3 0-5 4-9 4l-3-4c4-6 6-10 12-11l1-3 3 3c6 2 9 10 8 27z",
  q: "M8 14l6 8 2-12 6.500 11 6.500-11 2 12 6-8-4 22H12z",
  k: "M21 5h3v3h3v3h-3v4c6-3 12 0 11 6-.6 4-4 6-5 9v6H15v-6c-1-3-4.400-5-5-9-1-6 5-9 11-6v-4h-3V8h3z",
};
function chessBoard(svg, fen) {
  svg.replaceChildren();
  fen
    .split(" ")[0]
    .split("/")
    .forEach((row, r) => {
      let file = 0;
      for (const c of row) {
        const empty = Number(c),
          span = empty || 1;
        for (let i = 0; i < span; i++, file++) {
          element(
            "rect",
            { x: file * 45, y: r * 45, width: 45, height: 45, class: "sq " + ((file + r) % 2 ? "d" : "l") },
            svg,
          );
          if (!empty)
            element(
              "path",
              {
                d: MEN[c.toLowerCase()],
                transform: `translate(${file * 45} ${r * 45})`,
                class: c < "a" ? "wm" : "bm",
              },
              svg,
            );
        }
      }
    });
}
function fourBoard(svg, cells) {
  svg.replaceChildren();
  [...cells].forEach((man, i) => {
    const x = (i % 7) * 50 + 25,
      y = 275 - Math.floor(i / 7) * 50;
    element(
      "circle",
      { cx: x, cy: y, r: 21, class: man === "x" ? "xm" : man === "o" ? "om" : "hole" },
      svg,
    );
    if (man !== ".") {
      const mark = element("text", { x, y: y + 9, style: "font-size:26px;fill:#fff" }, svg);
      mark.textContent = man === "x" ? "X" : "O";
    }
  });
}

const panes = DATA.searches.map((data, index) => new Pane(data, index));
let active = panes[0];
const linked = () => panes.length > 1 && byId("link").checked;
const group = (pane) => (linked() ? panes : [pane]);
function step(pane, to) {
  const from = pane.s.current(),
    places = [...pane.s.place];
  pane.s.goto(to);
  pane.show(from, places);
}
function move(pane, to) {
  for (const each of group(pane)) step(each, to);
  try {
    history.replaceState(null, "", "#step=" + panes.map((each) => each.s.step).join());
  } catch (refused) {
    // A page without an address, or one that has changed it too often.
  }
}
function furthest() {
  return Math.max(...group(active).map((pane) => pane.s.step));
}
function end() {
  return Math.max(...group(active).map((pane) => pane.s.length));
}
function fromAddress() {
  const found = /step=([\d,]+)/.exec(location.hash);
  const steps = found ? found[1].split(",").map(Number) : [0];
  if (
    steps.length > 1 &&
    new Set(steps).size > 1 &&
    panes.some((pane, i) => steps[i] < Math.min(Math.max(...steps), pane.s.length))
  )
    byId("link").checked = false;
  panes.forEach((pane, i) => step(pane, steps[i] === undefined ? steps[0] : steps[i]));
}
// The next step of one of these kinds in any of the panes that move together; the present one if there is none.
function nextOf(kinds) {
  const now = furthest();
  const steps = group(active)
    .map((pane) => pane.s.next(kinds))
    .filter((step) => step > now);
  return steps.length ? Math.min(...steps) : now;
}
let timer = null;
function play(on) {
  clearInterval(timer);
  timer = null;
  byId("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  if (furthest() >= end()) move(active, 0);
  timer = setInterval(
    () => {
      move(active, furthest() + 1);
      if (furthest() >= end()) play(false);
    },
    1000 / Number(byId("speed").value),
  );
}
const ACTIONS = {
  ArrowRight: () => move(active, furthest() + 1),
  ArrowLeft: () => move(active, furthest() - 1),
  PageDown: () => move(active, furthest() + 10),
  PageUp: () => move(active, furthest() - 10),
  Home: () => move(active, 0),
  End: () => move(active, end()),
  " ": () => play(timer === null),
  c: () => move(active, nextOf("c")),
  r: () => move(active, nextOf("r")),
  t: () => move(active, nextOf("tE")),
  v: () => move(active, nextOf("v")),
};
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !ACTIONS[event.key]) return;
  if (event.target.closest("select") || (event.target.closest("button,input,summary") && event.key === " "))
    return;
  event.preventDefault();
  if (event.key !== " ") play(false);
  ACTIONS[event.key]();
});
byId("first").addEventListener("click", () => ACTIONS.Home());
byId("back").addEventListener("click", () => ACTIONS.ArrowLeft());
byId("next").addEventListener("click", () => ACTIONS.ArrowRight());
byId("last").addEventListener("click", () => ACTIONS.End());
byId("play").addEventListener("click", () => play(timer === null));
byId("speed").addEventListener("change", () => timer !== null && play(true));
byId("view").addEventListener("change", (event) => {
  view = event.target.value;
  for (const pane of panes) {
    pane.paintAll();
    pane.say.textContent = pane.s.explain();
  }
});
byId("fold").addEventListener("change", () =>
  panes.forEach((pane) => {
    pane.key = null;
    pane.draw();
    pane.paintAll();
    pane.follow();
  }),
);
byId("link").addEventListener("change", () => linked() && move(active, active.s.step));
window.addEventListener("hashchange", fromAddress);
byId("linkbox").hidden = panes.length < 2;
byId("foldbox").hidden = N <= FOLD;

const MARKS = [
  ["n s0", "", "not searched", 1],
  ["n s1", "\u22655", "MAX, being searched", 1],
  ["n s1", "\u22645", "MIN, being searched", 11],
  ["n s2", "5", "searched", 1],
  ["n s2 leaf", "5", "leaf", 1],
  ["n s2 cut", "C", "cut-off: the crossed edges were not searched", 1],
  ["n s2 tab", "T", "answered by the table", 1],
  ["n s3", "V", "aborted", 1],
  ["n s2 now", "5", "this step", 1],
];
for (const [kind, text, what, rx] of MARKS) {
  const span = html("span", {}, byId("legend"));
  const svg = element("svg", { width: 42, height: 26, "aria-hidden": "true" }, span);
  const mark = element("g", { class: kind }, svg);
  element("rect", { x: 2, y: 2, width: 38, height: 22, rx }, mark);
  element("text", { class: "v", x: 21, y: 17 }, mark).textContent = text;
  span.append(what);
}
const words = [
  "R: searched again",
  "E, N, P, Z: ETC, null move, ProbCut, razoring",
  "X: dropped",
  "+, -: deeper, less deep",
  "D: deferred",
  "\u2265, \u2264: a bound, not the value",
  "5?: no branch so far is worth more to the side that moves",
];
if (T.kinds) words.unshift("thick edge: minimal tree");
for (const text of words) html("span", {}, byId("legend"), text);
fromAddress();
