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
  after(action, delay) {
    const timer = this.every(() => {
      this.timers.delete(timer);
      action();
    }, delay);
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

// A page of one game of so many plies, which ended for this reason, that loads itself again every ten seconds.
function page(plies, reason = "drawn") {
  const moves = Array.from({ length: plies }, (_, at) => ["g1f3", "g8f6", "f3g1", "f6g8"][at % 4]).join(" ");
  const none = Array(plies).fill(null);
  const facts = { n: 1, w: 0, b: 1, o: 0, p: 0, f: null, r: "1/2-1/2", e: "adjudication", y: reason };
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
  here.end = () => things.get("v-end").textContent;
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

// Of a game without a reason, as other programs write many, the word for its end is told.
function ends() {
  for (const [reason, told] of [["drawn", "drawn"], ["", "adjudication"]]) {
    const end = page(2, reason).end();
    check(end === `\u00BD-\u00BD \u2014 ${told}`, `of a game that ended for the reason "${reason}": ${end}`);
  }
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

// What the runner answers while no game is played.
const REPLY = { ok: true, json: async () => ({ games: [] }), text: async () => "" };

// The live page, and what it has of a browser: its sections `old`, those of a fresh page `next`, and the marks of both.
function live({ old, next, marks, busy }, browser) {
  const things = new Map();
  const data = (mark) => Object.assign(new Thing("script"), { textContent: mark });
  const of = (id) => things.get(id) || things.set(id, new Thing(id)).get(id);
  run(text("board.js") + text("live.js"), {
    document: {
      activeElement: null,
      getElementById: (id) => (id === "live-data" ? data(marks[0]) : of(id)),
      querySelectorAll: () => old,
      querySelector: () => (busy ? new Thing("div") : null),
      importNode: (node) => node,
    },
    DOMParser: class {
      parseFromString() {
        return { querySelectorAll: () => next, getElementById: () => data(marks[1]) };
      }
    },
    ...browser,
  });
  return of("l-state");
}

// The live page once it has heard of the sections `next` in place of `old`. `selection`: that of the reader; `busy`: a
// game is played; `marks`: that of the page and that of the fresh one.
async function renewed(old, next, selection, busy, marks = ["1", "1"]) {
  const later = [], here = { reloads: 0, address: "/#g3.14" };
  live({ old, next, marks, busy }, {
    AbortSignal: { timeout: () => ({}) },
    fetch: async () => REPLY,
    location: { pathname: "/", reload: () => (here.reloads += 1) },
    history: { replaceState: (state, title, address) => (here.address = address) },
    getSelection: () => selection,
    setInterval: () => {},
    setTimeout: (action, delay, ...passed) => later.push(() => action(...passed)),
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

// Another tournament is played on the port of the one that the page shows.
async function changes() {
  for (const [marks, busy, reloads, address] of [
    [["1", "2"], false, 1, "/"],
    [["1", "2"], true, 0, "/#g3.14"],
    [["1", "1"], false, 0, "/#g3.14"],
  ]) {
    const before = [section("a", [], true)], what = `marks ${marks}, ${busy ? "a" : "no"} game:`;
    const here = await renewed(before, [section("A", [], false)], null, busy, marks);
    check(here.reloads === reloads, `${what} ${here.reloads} reloads`);
    check(here.address === address, `${what} the address is ${here.address}`);
    check(!before[0].next === (marks[0] !== marks[1]), `${what} what is shown is of two tournaments`);
  }
}

// A runner that answers, then takes connections and says nothing, then answers again.
async function waits() {
  const clock = new Clock(), open = { "/": 0, "/boards.json": 0 };
  let silent = false, most = 0;
  const ask = (path, { signal }) => {
    if (!silent) return Promise.resolve(REPLY);
    most = Math.max(most, ++open[path]);
    return new Promise((_, refuse) => {
      if (signal) signal.abort = () => { open[path] -= 1; refuse(new Error("no answer in time")); };
    });
  };
  const timeout = (delay) => {
    const signal = {};
    clock.after(() => signal.abort && signal.abort(), delay);
    return signal;
  };
  const state = live({ old: [], next: [], marks: ["1", "1"], busy: false }, {
    AbortSignal: { timeout },
    fetch: ask,
    location: {},
    getSelection: () => null,
    setInterval: (action, period) => clock.every(action, period),
    setTimeout: (action, delay, ...passed) => clock.after(() => action(...passed), delay),
  });
  // What waits for an answer goes on between the timers.
  const pass = async (seconds) => {
    for (let tenth = 0; tenth < 10 * seconds; tenth += 1) {
      clock.pass(0.1);
      await new Promise((done) => setImmediate(done));
    }
  };
  await pass(10);
  check(state.className === "", `of a runner that answers the page says: ${state.textContent}`);
  silent = true;
  await pass(10);
  check(state.className === "gone", `of a runner that is silent the page says: ${state.textContent}`);
  check(most === 1, `${most} requests for one thing are open at once`);
  silent = false;
  await pass(10);
  check(state.className === "", `of a runner that answers again the page says: ${state.textContent}`);
}

(async () => {
  for (const part of [plays, pauses, ends, scrolls, selects, grows, changes, waits]) await part();
  console.log(faults.join("\n"));
  process.exit(faults.length > 0 ? 1 : 0);
})();
