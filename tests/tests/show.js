"use strict";
// Replays the searches of a page of `firstborn lab show` with the page's own program, without drawing them. What each
// node shows is held against what its branches show, and a reader's buttons against what they say: `node show.js PAGE
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
const load = new Function("document", `${program}\nreturn { DATA, Search, ENDS, N, up, by, label };`);
const { DATA, Search, ENDS, N, up, by, label } = load({ getElementById: () => ({ textContent: data }) });

const faults = [];
const check = (holds, ...said) => holds || faults.push(said.join(" "));

// Searches that keep values from one visit to the next answer with what no branch of the visit shows.
const keeps = /^(sss|dual|mt-|mtd-|mtdf$|bisection$|bstar|conspiracy|pn|dfpn)/;

function state(s) {
  return JSON.stringify([s.status, s.alpha, s.beta, s.best, s.value, s.inside, s.why, s.note, s.count]);
}

// What a branch is said to be searched as, one step before it is entered.
const SAID = { "+": "deeper", "-": "shallower" };

for (const search of DATA.searches) {
  for (const op of process.argv[3] || "") check(search.ops.includes(op), `${search.name} has no step ${op}`);
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
    if (op === "c") check(s.bound(n) === "\u2265", wrong(label(n), "is cut off, and its value no bound"));
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
