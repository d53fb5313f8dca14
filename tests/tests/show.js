"use strict";
// Replays the searches of a page of `firstborn lab show` with the page's own program, without drawing them. What each
// node shows is held against what its branches show and against minimax, and a reader's buttons against what they say: `node show.js PAGE
// STEPS` prints what does not fit, and ends with 1. Each search must have steps of all the kinds that STEPS names by
// their letters.
const fs = require("fs");

const html = fs.readFileSync(process.argv[2], "utf8");
const part = (begin) => {
  const from = html.indexOf(begin) + begin.length;
  return html.slice(from, html.indexOf("</script>", from));
};
const data = part('<script type="application/json" id="data">');
const whole = part("</script>\n<script>");
// The program up to what draws.
const program = whole.split("\nclass Pane {")[0];
const names = "DATA, Search, ENDS, N, up, by, kids, leaf, more, ply, label, shown";
const load = new Function("document", `${program}\nreturn { ${names} };`);
const { DATA, Search, ENDS, N, up, by, kids, leaf, more, ply, label, shown } = load({
  getElementById: () => ({ textContent: data }),
});

const faults = [];
const check = (holds, ...said) => holds || faults.push(said.join(" "));

// Searches that keep values from one visit to the next answer with what no branch of the visit shows.
const keeps = /^(sss|dual|mtd-best|bstar|conspiracy|pn|dfpn)/;

// What a leaf is worth: by the page its static value, and in a quiescence search what minimax beside has found.
const leaves = leaf.slice();
if (/^minimax.*quiesce/.test(DATA.searches[0].name)) {
  const s = new Search(DATA.searches[0]);
  s.ops.split("").forEach((op, k) => "hf".includes(op) && (leaves[s.at[k]] = s.values[s.args[k]]));
}
// Minimax by the definition; null where the page does not hold the whole tree below.
const truths = new Array(N).fill(null);
for (let n = N - 1; n >= 0; n--) {
  const branches = kids[n].filter((m) => by[m] !== null).map((m) => truths[m]);
  if (leaves[n] !== null) truths[n] = leaves[n];
  else if (ply[n] < DATA.depth && more[n] === 0 && !branches.includes(null))
    truths[n] = Math.max(...branches.map((value) => -value));
}
// Searches to one depth that promise minimax at every node: others may look less deep, or at another tree.
const plain = /^(?!bstar|conspiracy|pn|dfpn)[a-z-]+(\+(quiesce|trans=\d+|two|hard|etc|killers|hist))*$/;
// Is what this node shows so?
function holds(s, n) {
  const truth = truths[n],
    value = s.status[n] === 1 ? s.best[n] : s.value[n];
  if (truth === null || value === null || s.hasPair(n) || ![1, 2].includes(s.status[n])) return true;
  const bound = s.bound(n);
  if (bound === "?") return s.status[n] === 1 || s.who !== null;
  return bound === "" ? value === truth : bound === "\u2265" ? truth >= value : truth <= value;
}
// A cut-off names the node above at which the other side has as much already. In alpha-beta there always is one; the
// windows of other searches may be questions.
function named(s, n, value) {
  const found = /(?:MAX|MIN) has (\S+) at (\S+) and will not go here/.exec(s.explain());
  if (!found) return s.data.name !== "alphabeta";
  let at = up[n];
  while (at > 0 && label(at) !== found[2]) at = up[at];
  const [has, here] = [Number(found[1]), Number(shown(value, n))];
  const enough = ply[n] % 2 === 0 ? here >= has : here <= has;
  return label(at) === found[2] && (ply[n] - ply[at]) % 2 === 1 && enough;
}

function state(s) {
  return JSON.stringify([s.status, s.alpha, s.beta, s.best, s.firm, s.value, s.inside, s.why, s.note, s.count]);
}

// What a branch is said to be searched as, one step before it is entered.
const SAID = { "+": "deeper", "-": "shallower" };

for (const search of DATA.searches) {
  for (const op of process.argv[3] || "") check(search.ops.includes(op), `${search.name} has no step ${op}`);
  // Branches that the present visits of nodes have dropped.
  const dropped = new Map();
  const s = new Search(search),
    begun = state(s),
    wrong = (...said) => `${search.name}, step ${s.step}: ${said.join(" ")}`;
  while (s.step < s.length) {
    const op = s.ops[s.step],
      n = s.at[s.step],
      me = s.who ? s.who[s.step] : 0,
      [status, best, visits] = [s.status[n], s.best[n], s.inside[n]];
    s.forward();
    check(!/undefined|NaN|null/.test(s.explain()), wrong(s.explain()));
    if (plain.test(search.name))
      for (const shows of s.dirty)
        check(holds(s, shows), wrong(label(shows), `shows ${s.valueText(shows)}, and not`, truths[shows]));
    s.dirty.clear();
    if (op === "e") dropped.set(n, 0);
    if (op === "d") dropped.set(n, dropped.get(n) + 1);
    if (op === "a") check(dropped.get(n) > 0 === /or dropped:/.test(s.explain()), wrong(s.explain()));
    if (op === "c") {
      check(named(s, n, s.value[n]), wrong(s.explain()));
      // Of the branches at least one has been searched.
      const [, left] = /The (\d+) branches after it/.exec(s.explain()) || [0, 0];
      const most = more[n] + kids[n].filter((m) => by[m] !== null).length - dropped.get(n);
      check(Number(left) < most, wrong(s.explain()));
    }
    const said = SAID[s.ops[s.step - 2]];
    if (said) {
      const branch = s.values[s.args[s.step - 2]];
      check(op === "e" && up[n] === s.at[s.step - 2] && by[n] === branch, wrong(label(n), "is not that branch"));
      check(s.note[n] === said, wrong(label(n), `is not shown as ${said}`));
    }
    if (!ENDS.includes(op) || keeps.test(search.name)) continue;
    const mine = visits.filter((visit) => visit.who === me);
    const before = s.step - 2;
    const again =
      before >= 0 && s.at[before] === n && ENDS.includes(s.ops[before]) && (!s.who || s.who[before] === me);
    const corrects = op === "s" && (status === 2 || again);
    if (corrects && status === 1) continue;
    // Of a node that processors share another than the one that has opened it may hand in the value.
    const shared = s.who && "ac".includes(op) && visits.length > 0;
    check(corrects || mine.length > 0 || shared, wrong(label(n), "ends twice", op));
    if (mine.length > 1) continue;
    check(s.status[n] === 2, wrong(label(n), "has a value and is not searched"));
    const open = n > 0 && by[n] !== null && s.status[up[n]] === 1;
    check(!open || s.best[up[n]] >= -s.value[n], wrong(label(n), "is lost above"));
    // Also where the window has narrowed since the node was entered.
    const closed = s.who !== null && s.bound(n) === "?";
    if (op === "c") check(closed || s.bound(n) === "\u2265", wrong(label(n), "is cut off, and its value no bound"));
    if ("ca".includes(op) && !s.who) check(best === s.value[n], wrong(label(n), `${s.value[n]}, not ${best}`));
  }
  const open = s.who ? s.status.indexOf(1) : -1;
  check(open < 0, wrong(`${open < 0 ? "" : label(open)} is still being searched`));
  const settled = s.status[0] === 2 && s.value[0] === search.value;
  check(settled || keeps.test(search.name), wrong(`the root ends with ${s.status[0]} ${s.value[0]}`));
  s.goto(0);
  check(state(s) === begun, wrong("the way back does not end where it began"));
}

// The page's controls over panes that draw nothing; `browser` has what they use of one.
function controls(browser) {
  const [before, rest] = whole.split("\nconst panes =");
  const after = rest.slice(rest.indexOf("\nlet active ="), rest.indexOf("\ndocument.addEventListener("));
  const made = "Object.assign(Object.create(Pane.prototype), { s: new Search(data), show() {} })";
  const panes = `const panes = DATA.searches.map((data) => ${made});`;
  const body = `${before}\n${panes}\n${after}\nreturn { panes, move, end, play };`;
  return new Function(...Object.keys(browser), body)(...Object.values(browser));
}

// As much of an element as the controls ask for: a box that is ticked, a speed, a button.
class Thing {
  constructor() {
    Object.assign(this, { children: [], checked: true, value: "3", textContent: data });
  }
  setAttribute() {}
  appendChild(child) {
    this.children.push(child);
  }
  addEventListener(_, listener) {
    this.press = listener;
  }
}

const timers = new Map(),
  document = { getElementById: () => new Thing(), createElement: () => new Thing() };
let refuses = false;
const { panes, move, end, play } = controls({
  document,
  history: {
    replaceState: () => {
      if (refuses) throw new Error("this page has no address");
    },
  },
  setInterval: (action) => timers.set(1, action) && 1,
  clearInterval: (timer) => timers.delete(timer),
});

// From where the shortest search has ended and from where all have, no button of a pane leads back.
const buttons = panes.flatMap((pane) => {
  const box = new Thing();
  pane.jumps(box);
  return box.children[0].children;
});
for (const from of [Math.min(...panes.map((pane) => pane.s.length)) + 1, end()])
  for (const button of buttons) {
    move(panes[0], from);
    const before = panes.map((pane) => pane.s.step);
    button.press();
    const after = panes.map((pane) => pane.s.step);
    const back = after.some((step, index) => step < before[index]);
    check(!back, `${button.textContent}: from ${before} to ${after}`);
  }

// Where a browser refuses the address the replay comes to its end all the same.
move(panes[0], end() - 2);
refuses = true;
play(true);
for (let tick = 0; tick < 3 && timers.size > 0; tick++)
  try {
    timers.get(1)();
  } catch (refused) {
    check(false, `the replay breaks off: ${refused.message}`);
  }
check(timers.size === 0, "the replay goes on behind its end");

check(N > 1 && DATA.searches.every((search) => search.ops.length > 2), "nothing is shown");
console.log(faults.slice(0, 20).join("\n"));
process.exit(faults.length > 0 ? 1 : 0);
