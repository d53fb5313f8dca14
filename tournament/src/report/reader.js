"use strict";
// Runs the scripts of a report's pages with a document that holds just what they ask for, and plays a reader:
// `node reader.js` prints what a reader would lose, and ends with 1.
const fs = require("fs");
const path = require("path");

const text = (name) => fs.readFileSync(path.join(__dirname, name), "utf8");
const faults = [];
const check = (holds, what) => holds || faults.push(what);

// A script of a page, run with these names for what a browser has.
function run(script, browser) {
  new Function(...Object.keys(browser), `"use strict";\n${script}`)(...Object.values(browser));
}

// As much of an element as the viewer asks for.
class Thing {
  constructor(tag) {
    Object.assign(this, { tag, children: [], dataset: {}, attributes: {}, listeners: {} });
    Object.assign(this, { scrollTop: 0, value: "all" });
  }
  setAttribute(name, value) {
    this.attributes[name] = String(value);
  }
  removeAttribute(name) {
    delete this.attributes[name];
  }
  append(...children) {
    this.children.push(...children);
  }
  replaceChildren(...children) {
    this.children = children;
  }
  addEventListener(name, listener) {
    (this.listeners[name] ||= []).push(listener);
  }
  querySelectorAll(tag) {
    return this.children.filter((child) => child.tag === tag);
  }
  closest() {
    return this;
  }
  focus() {}
}

// Time that passes when it is told to.
class Clock {
  constructor() {
    Object.assign(this, { now: 1e12, timers: new Map(), next: 1 });
  }
  every(action, period) {
    this.timers.set(this.next, { action, period, due: this.now + period });
    return this.next++;
  }
  pass(seconds) {
    const end = this.now + 1000 * seconds;
    for (;;) {
      const due = [...this.timers.values()].filter((timer) => timer.due <= end);
      if (due.length === 0) break;
      const first = due.reduce((a, b) => (b.due < a.due ? b : a));
      this.now = first.due;
      first.due += first.period;
      first.action();
    }
    this.now = end;
  }
}

// A page of one game of so many plies that loads itself again every ten seconds.
function page(plies) {
  const moves = Array.from({ length: plies }, (_, at) => ["g1f3", "g8f6", "f3g1", "f6g8"][at % 4]).join(" ");
  const none = Array(plies).fill(null);
  const facts = { n: 1, w: 0, b: 1, o: 0, p: 0, f: null, r: "1/2-1/2", e: "adjudication", y: "drawn" };
  const game = { ...facts, s: moves, m: moves, v: none, d: none, c: none, u: none, k: none };
  const things = new Map(), clock = new Clock();
  const document = {
    hidden: false,
    getElementById: (id) => things.get(id) || things.set(id, new Thing(id)).get(id),
    createElement: (tag) => new Thing(tag),
    createElementNS: (_, tag) => new Thing(tag),
    querySelector: (selector) =>
      [...things.values()].find((thing) => selector.slice(1, -1) in thing.attributes) || null,
  };
  const data = { players: ["A", "B"], openings: {}, games: [game] };
  document.getElementById("games-data").textContent = JSON.stringify(data);
  const here = { clock, reloads: 0 };
  const browser = {
    document,
    location: { hash: "", reload: () => (here.reloads += 1) },
    history: { replaceState: () => {} },
    addEventListener: () => {},
    setInterval: (action, period) => clock.every(action, period),
    clearInterval: (timer) => clock.timers.delete(timer),
    Date: { now: () => clock.now },
  };
  run(text("board.js") + text("viewer.js"), browser);
  run(`const RELOAD_SECONDS=10;${text("../../../figures/src/reload.js")}`, browser);
  const button = { dataset: { go: "play" } };
  const click = { target: { closest: () => button } };
  here.press = () => things.get("viewer").listeners.click.forEach((act) => act(click));
  here.says = () => things.get("v-says").textContent;
  return here;
}

// 100 plies take 70 seconds.
function plays() {
  const here = page(100);
  here.press();
  here.clock.pass(69);
  check(here.says().startsWith("49\u2026 g8f6"), `after 69 seconds the viewer says: ${here.says()}`);
  check(here.reloads === 0, `while a game is played the page is loaded again ${here.reloads} times`);
  here.clock.pass(60);
  check(here.says().startsWith("50\u2026 f6g8"), `in the end the viewer says: ${here.says()}`);
  check(here.reloads > 0, "when a game has been played to its end the page is never loaded again");
}

function pauses() {
  const here = page(100);
  here.press();
  here.clock.pass(5);
  here.press();
  here.clock.pass(60);
  check(here.reloads > 0, "when a game has been stopped the page is never loaded again");
  const still = page(2);
  still.clock.pass(11);
  check(still.reloads > 0, "where no game is played the page is never loaded again");
}

// A section of a page, with boxes that scroll once they are in the document.
function section(name, boxes, shown) {
  const made = { innerHTML: name, shown };
  made.boxes = boxes.map((place) => {
    const box = { place };
    for (const [at, side] of ["scrollLeft", "scrollTop"].entries()) {
      const set = (value) => made.shown && (place[at] = value);
      Object.defineProperty(box, side, { get: () => place[at], set });
    }
    return box;
  });
  made.querySelector = () => null;
  made.querySelectorAll = (selector) => (selector === ".t" ? made.boxes : []);
  made.contains = () => false;
  made.replaceWith = (next) => {
    made.next = next;
    next.shown = true;
  };
  return made;
}

// The live page once it has heard of the sections `next` in place of `old`. `selection`: that of the reader; `busy`: a
// game is played.
async function renewed(old, next, selection, busy) {
  const later = [], things = new Map(), here = { reloads: 0 };
  const reply = { ok: true, json: async () => ({ games: [] }), text: async () => "" };
  run(text("board.js") + text("live.js"), {
    document: {
      activeElement: null,
      getElementById: (id) => things.get(id) || things.set(id, new Thing(id)).get(id),
      querySelectorAll: () => old,
      querySelector: () => (busy ? new Thing("div") : null),
      importNode: (node) => node,
    },
    DOMParser: class {
      parseFromString() {
        return { querySelectorAll: () => next };
      }
    },
    fetch: async () => reply,
    location: { reload: () => (here.reloads += 1) },
    getSelection: () => selection,
    setInterval: () => {},
    setTimeout: (action) => later.push(action),
  });
  await later[0]();
  return here;
}

// A selection, or no more than its place, in a part of this section.
const selected = (held, isCollapsed) => ({
  isCollapsed,
  containsNode: (node, partly) => partly && node === held,
});

async function scrolls() {
  const before = [section("a", [[120, 5], [0, 40]], true), section("b", [[7, 7]], true)];
  const after = [section("A", [[0, 0], [0, 0], [0, 0]], false), section("b", [[0, 0]], false)];
  await renewed(before, after, null, false);
  check(before[0].next === after[0], "a section that has changed is not replaced");
  check(!before[1].next, "a section that has not changed is replaced");
  const places = JSON.stringify(after[0].boxes.map((box) => box.place));
  check(places === "[[120,5],[0,40],[0,0]]", `what was scrolled to [120,5],[0,40] stands at ${places}`);
}

async function selects() {
  for (const isCollapsed of [false, true]) {
    const before = [section("a", [], true), section("b", [], true)];
    const after = [section("A", [], false), section("B", [], false)];
    await renewed(before, after, selected(before[0], isCollapsed), false);
    const what = isCollapsed ? "is kept though nothing is selected in it" : "is lost under the selection";
    check(!before[0].next === !isCollapsed, `a section ${what}`);
    check(before[1].next, "a section is not replaced since something is selected in another one");
  }
}

async function grows() {
  for (const busy of [false, true]) {
    const after = [section("a", [], false), section("b", [], false)];
    const { reloads } = await renewed([section("a", [], true)], after, null, busy);
    check(reloads === (busy ? 0 : 1), `with a new section and ${busy ? "a" : "no"} game: ${reloads} reloads`);
  }
}

(async () => {
  for (const part of [plays, pauses, scrolls, selects, grows]) await part();
  console.log(faults.join("\n"));
  process.exit(faults.length > 0 ? 1 : 0);
})();
