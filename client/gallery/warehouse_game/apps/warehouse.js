// A warehouse with a forklift: push each crate into a bay. Scores are public records of the app's database; each level's
// wall shows the fewest moves, and follows what other players store.
import { db } from "platform";

/** `#` rack, `$` crate, `.` bay, `*` crate in a bay, `@` forklift. `par` is the fewest moves. */
const LEVELS = [
  { name: "First shift", par: 5, map: "#######|#     #|# @$. #|#     #|# .$  #|#     #|#######" },
  { name: "Cross aisle", par: 10, map: "########|#  .   #|#  $   #|# .$@  #|#  #   #|#   $. #|########" },
  { name: "Narrow rack", par: 21, map: " #######| #  @  #|##$ #$ #|#   .  #|# $.#. #|#   #  #|########" },
  {
    name: "Corner office",
    par: 34,
    map: "########|###   ##|#.@$  ##|### $.##|#.##$ ##|# # . ##|#$ *$$.#|#   .  #|########",
  },
  { name: "Night delivery", par: 36, map: "#########|#   #   #|# $ . $ #|## .@. ##|# $ . $ #|#   #   #|#########" },
  { name: "Loading dock", par: 41, map: "#########|#...    #|###$##  #|  # $ $ #|  # @#  #|  #     #|  #######" },
];
const WAYS = { left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] };
const KEYS = {
  ArrowLeft: "left",
  a: "left",
  ArrowRight: "right",
  d: "right",
  ArrowUp: "up",
  w: "up",
  ArrowDown: "down",
  s: "down",
};
const DAY = {
  floor: "#dfe3df",
  line: "#cfd5d0",
  bay: "#f0b429",
  rack: "#3c6e8f",
  shelf: "#2c5571",
  box: "#e8dcc0",
  crate: "#c98d4b",
  edge: "#8f5c26",
  done: "#4f9d69",
  done_edge: "#2c6b43",
  lift: "#f2711c",
  dark: "#26323a",
  glass: "#bfe3f2",
  fork: "#8a949b",
  shade: "#26323a",
};
const NIGHT = {
  floor: "#232b33",
  line: "#2c3640",
  bay: "#e0a526",
  rack: "#1d4560",
  shelf: "#12303f",
  box: "#5d6a70",
  crate: "#b27a3d",
  edge: "#6f461b",
  done: "#3f8a5a",
  done_edge: "#9be0b4",
  lift: "#ff8a3d",
  dark: "#0c1216",
  glass: "#7fb3c9",
  fork: "#9aa5ac",
  shade: "#000000",
};
const night = matchMedia("(prefers-color-scheme: dark)");
const calm = matchMedia("(prefers-reduced-motion: reduce)");

document.title = "Warehouse";
document.head.insertAdjacentHTML(
  "beforeend",
  `<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root { color-scheme: light dark; --ink: light-dark(#1e2a31, #e9eef0); --dim: light-dark(#4f5d66, #a5b1b8); --page: light-dark(#eceeea, #171d22);
  --sheet: light-dark(#fff, #1f272e); --edge: light-dark(#d3d9d4, #35414b); --main: light-dark(#b34708, #ff8a3d); --on: light-dark(#fff, #241000) }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.45 "Avenir Next", ui-rounded, "Segoe UI", system-ui, sans-serif }
#platform-app { display: none }
.game { display: grid; grid-template: auto 1fr auto / 1fr 18rem; height: 100vh; height: 100dvh }
.top { grid-column: 1 / -1; display: flex; align-items: center; gap: .5rem 1rem; padding: .75rem 1rem; border-bottom: 1px solid var(--edge); flex-wrap: wrap }
h1, h2, p, ol { margin: 0; padding: 0 }
h1 { font-size: 1.15rem; font-weight: 750; letter-spacing: -.01em }
.top output { font-variant-numeric: tabular-nums; color: var(--dim) }
.tools { margin-left: auto; display: flex; gap: .4rem }
button, input { font: inherit; color: inherit }
button { background: var(--sheet); border: 1px solid light-dark(#87939a, #5d6a74); border-radius: .6rem; padding: .4rem .85rem; cursor: pointer }
button:disabled { opacity: .5; cursor: default }
:is(button, input):focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
.go { background: var(--main); border-color: var(--main); color: var(--on); font-weight: 700; padding: .65rem 1.5rem; border-radius: 2rem }
.yard { position: relative; min-width: 0; min-height: 0; overflow: hidden; touch-action: none }
.yard canvas { position: absolute; inset: 0; outline: 0 }
aside { border-left: 1px solid var(--edge); padding: 1rem 1.25rem; overflow: auto; background: var(--sheet) }
h2 { font-size: 1rem; margin-bottom: .5rem }
ol { list-style: none }
ol li { display: flex; gap: .75rem; padding: .4rem .5rem; border-radius: .4rem; font-variant-numeric: tabular-nums }
ol li span:nth-child(2) { flex: 1; overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
ol li span:first-child { color: var(--dim); width: 1.2rem; text-align: right }
ol li.mine { background: light-dark(#fde8d6, #43290f); font-weight: 700 }
.dim { color: var(--dim); font-size: .9rem }
.pad { display: none; grid-column: 1 / -1; justify-content: center; gap: .4rem; grid-template: 3.1rem 3.1rem / 4rem 4rem 4rem; padding: .6rem }
.pad button { font-size: 1.3rem; padding: 0; touch-action: manipulation }
.pad button:first-child { grid-column: 2 } .pad button:nth-child(2) { grid-column: 1 }
dialog { border: 0; border-radius: 1.25rem; padding: 1.75rem; background: var(--sheet); color: var(--ink); width: min(26rem, calc(100vw - 2rem)); box-sizing: border-box; box-shadow: 0 20px 60px #0006; text-align: center; max-height: calc(100dvh - 2rem) }
dialog::backdrop { background: #0b12168c }
dialog h2 { font-size: 1.9rem; line-height: 1.15; letter-spacing: -.02em }
dialog > p { margin: .4rem 0 1rem }
.stars { font-size: 2rem; letter-spacing: .15em; color: light-dark(#b97a00, #ffc84a) }
.levels { display: grid; grid-template-columns: repeat(2, 1fr); gap: .5rem; margin-bottom: 1.25rem }
.levels button { display: grid; align-content: start; text-align: left; padding: .55rem .8rem }
.levels small { color: var(--dim) }
.save { display: flex; gap: .5rem; justify-content: center; margin-bottom: 1rem }
.save input { min-width: 0; flex: 1; background: var(--page); border: 1px solid light-dark(#87939a, #5d6a74); border-radius: .6rem; padding: .5rem .75rem }
.fault { color: light-dark(#a3210f, #ff9f8e); font-size: .9rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 52rem) {
  .game { grid-template: auto 1fr auto auto / 1fr }
  aside { border-left: 0; border-top: 1px solid var(--edge); padding: .6rem 1rem; max-height: 5.2rem }
  aside h2 { font-size: .9rem; margin: 0 }
  .tools { margin-left: 0; width: 100% }
  .tools button { flex: 1; padding-inline: .3rem }
}
@media (pointer: coarse), (max-width: 52rem) { .pad { display: grid } }
</style>`,
);
document.body.insertAdjacentHTML(
  "beforeend",
  `<main class="game"><div class="top"><h1></h1><output aria-live="off"></output>
<div class="tools"><button data-do="undo">Undo</button><button data-do="restart">Restart</button><button data-do="describe">Describe</button><button data-do="menu">Levels</button></div></div>
<div class="yard"></div>
<aside aria-labelledby="wall" tabindex="0" role="region"><h2 id="wall">Best runs</h2><ol></ol><p class="dim note"></p></aside>
<div class="pad" role="group" aria-label="Drive"><button data-go="up" aria-label="Up">↑</button><button data-go="left" aria-label="Left">←</button><button data-go="down" aria-label="Down">↓</button><button data-go="right" aria-label="Right">→</button></div>
<p class="unseen" role="status"></p></main><dialog aria-labelledby="card"></dialog>`,
);
const one = (selector) => document.querySelector(selector);
const make = (tag, fields = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
const say = (text) => (one("[role=status]").textContent = text);

const k = kaboom({
  global: false,
  root: one(".yard"),
  background: [223, 227, 223],
  touchToMouse: false,
  // Without gliding there is little to draw.
  maxFPS: calm.matches ? 12 : 60,
});
k.canvas.setAttribute("role", "img");
k.canvas.tabIndex = -1;
const paint = Object.fromEntries([DAY, NIGHT].flatMap(Object.values).map((hex) => [hex, k.Color.fromHex(hex)]));
let look = DAY;
const ink = (name) => paint[look[name]];

/** The yard as it is. A crate and the forklift have `at`, where they are, and `from`, where they come from. */
let index = 0, racks, bays, crates, lift, past, shift = 1, solved = false;
/** The ids of scores that were stored on this page. */
const mine = new Set();
const key = (x, y) => `${x},${y}`;

function open(level) {
  index = level;
  [racks, bays, crates, past, solved] = [new Map(), new Map(), [], [], false];
  LEVELS[index].map.split("|").forEach((row, y) =>
    [...row].forEach((sign, x) => {
      if (sign === "#") racks.set(key(x, y), { x, y });
      if (".*+".includes(sign)) bays.set(key(x, y), { x, y });
      if ("$*".includes(sign)) crates.push({ at: { x, y }, from: { x, y } });
      if ("@+".includes(sign)) lift = { at: { x, y }, from: { x, y }, way: "right" };
    })
  );
  one("dialog").close();
  show();
  readWall();
  say(`${LEVELS[index].name}: ${count(crates.length, "crate")} to deliver`);
  k.canvas.focus({ preventScroll: true });
}

const crateAt = (x, y) => crates.find(({ at }) => at.x === x && at.y === y);
const delivered = () => crates.filter(({ at }) => bays.has(key(at.x, at.y))).length;

function drive(way) {
  if (solved || one("dialog").open) return;
  const [dx, dy] = WAYS[way];
  lift.way = way;
  const [x, y] = [lift.at.x + dx, lift.at.y + dy];
  const crate = crateAt(x, y);
  const is_blocked = racks.has(key(x, y)) || crate && (racks.has(key(x + dx, y + dy)) || crateAt(x + dx, y + dy));
  if (is_blocked) return say(crate ? "The crate does not move" : "A rack is in the way");
  const before = delivered();
  past.push({ lift: lift.at, way, crate, at: crate?.at });
  settle();
  lift.at = { x, y };
  if (crate) crate.at = { x: x + dx, y: y + dy };
  shift = calm.matches ? 1 : 0;
  show();
  const now = delivered();
  if (now !== before || crate) {
    say(
      now > before ? `Delivered: ${now} of ${crates.length}` : now < before ? "The crate has left its bay" : "Pushed",
    );
  }
  if (now === crates.length) finish();
}

/** Ends what still glides. */
function settle() {
  for (const thing of [...crates, lift]) thing.from = thing.at;
}

function undo() {
  const last = past.pop();
  if (!last || solved) return;
  lift.at = last.lift;
  if (last.crate) last.crate.at = last.at;
  settle();
  show();
  say("Undone");
}

function show() {
  const { name } = LEVELS[index];
  one("h1").textContent = `${index + 1}. ${name}`;
  one("output").textContent = `${count(past.length, "move")}, ${delivered()} of ${crates.length} delivered`;
  one("[data-do=undo]").disabled = past.length === 0;
  k.canvas.setAttribute(
    "aria-label",
    `A warehouse seen from above: ${delivered()} of ${crates.length} crates are in their bays`,
  );
}

function describe() {
  const spot = ({ x, y }) => `row ${y + 1}, column ${x + 1}`;
  const free = [...bays.values()].filter(({ x, y }) => !crateAt(x, y));
  say([
    `The forklift is at ${spot(lift.at)}.`,
    `Crates to deliver: ${
      crates.filter(({ at }) => !bays.has(key(at.x, at.y))).map(({ at }) => spot(at)).join("; ") || "none"
    }.`,
    `Free bays: ${free.map(spot).join("; ") || "none"}.`,
  ].join(" "));
}

let reads = 0;
/** The fewest moves of this level, of everyone. */
async function readWall() {
  const read = ++reads;
  const level = index + 1;
  one("#wall").textContent = `Best runs: ${LEVELS[index].name}`;
  try {
    const found = await db().list({ filter: { level }, sort: "moves", per_page: 12 });
    if (read !== reads) return;
    one("aside ol").replaceChildren(
      ...found.map(({ id, name, moves }, place) =>
        make(
          "li",
          { className: mine.has(id) ? "mine" : "" },
          make("span", { textContent: place + 1 }),
          make("span", { textContent: name }),
          make("span", { textContent: moves }),
        )
      ),
    );
    one(".note").textContent = found.length === 0 ? "Nobody has finished this level yet." : "";
  } catch (error) {
    if (read === reads) one(".note").textContent = `The wall cannot be read: ${error.message}`;
  }
}

function card(...children) {
  const dialog = one("dialog");
  dialog.replaceChildren(...children);
  if (!dialog.open) dialog.showModal();
}

function menu() {
  const levels = LEVELS.map(({ name, par }, level) =>
    make(
      "button",
      { type: "button", onclick: () => open(level) },
      make("b", { textContent: `${level + 1}. ${name}` }),
      make("small", { textContent: `from ${par} moves` }),
    )
  );
  card(
    make("h2", { id: "card", textContent: "Warehouse" }),
    make("p", {
      className: "dim",
      textContent: "Push every crate into a yellow bay. Drive with the arrow keys, by swiping, or with the buttons.",
    }),
    make("div", { className: "levels" }, ...levels),
    make("button", {
      type: "button",
      className: "go",
      textContent: past?.length && !solved ? "Back to work" : "Start the shift",
      onclick: () => past?.length && !solved ? one("dialog").close() : open(index),
    }),
  );
  one(".go").focus();
}

function finish() {
  solved = true;
  const moves = past.length;
  const { par, name: level_name } = LEVELS[index];
  const stars = moves <= par ? 3 : moves <= par * 1.5 ? 2 : 1;
  say(`${level_name} is done in ${count(moves, "move")}`);
  const input = make("input", {
    name: "name",
    required: true,
    maxLength: 20,
    placeholder: "Your name",
    ariaLabel: "Your name",
    autocomplete: "nickname",
    value: localStorage.getItem("name") ?? "",
  });
  const fault = make("p", { className: "fault" });
  fault.setAttribute("role", "alert");
  const put = make("button", { textContent: "On the wall" });
  const form = make("form", { className: "save" }, input, put);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    put.disabled = true;
    fault.textContent = "";
    try {
      localStorage.setItem("name", input.value.trim());
      const { id } = await db().create({ name: input.value.trim(), level: index + 1, moves });
      mine.add(id);
      form.replaceWith(make("p", { textContent: "Your run is on the wall." }));
      next.focus();
      await readWall();
    } catch (error) {
      fault.textContent = `Not stored: ${error.message}`;
      put.disabled = false;
    }
  });
  const last = index === LEVELS.length - 1;
  const next = make("button", {
    type: "button",
    className: "go",
    textContent: last ? "All levels" : "Next level",
    onclick: () => last ? menu() : open(index + 1),
  });
  const again = make("button", { type: "button", textContent: "Once more", onclick: () => open(index) });
  const stars_row = make("p", { className: "stars", textContent: "★".repeat(stars) + "☆".repeat(3 - stars) });
  stars_row.setAttribute("role", "img");
  stars_row.setAttribute("aria-label", `${stars} of 3 stars`);
  card(
    make("h2", { id: "card", textContent: "All delivered" }),
    stars_row,
    make("p", {
      textContent: `${level_name} in ${count(moves, "move")}. ${
        moves <= par ? "Nobody can do it in fewer." : `${par} can do it.`
      }`,
    }),
    form,
    fault,
    make("div", { className: "save" }, again, next),
  );
  (input.value ? next : input).focus();
}

const ACTS = { undo, restart: () => open(index), describe, menu };
addEventListener("keydown", (event) => {
  if (one("dialog").open || event.ctrlKey || event.metaKey || event.altKey) return;
  const way = KEYS[event.key];
  if (way) drive(way);
  else if (event.key === "u" || event.key === "Backspace") undo();
  else if (event.key === "r") open(index);
  else return;
  event.preventDefault();
});
for (const button of document.querySelectorAll("[data-go]")) {
  button.addEventListener("click", () => drive(button.dataset.go));
}
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => ACTS[button.dataset.do]());
}
one("dialog").addEventListener("cancel", (event) => {
  if (solved || past === undefined || !past.length) event.preventDefault();
});
let press;
one(".yard").addEventListener("pointerdown", ({ clientX, clientY }) => (press = { x: clientX, y: clientY }));
one(".yard").addEventListener("pointerup", ({ clientX, clientY }) => {
  const [dx, dy] = [clientX - press.x, clientY - press.y];
  if (Math.max(Math.abs(dx), Math.abs(dy)) < 24) return;
  drive(Math.abs(dx) > Math.abs(dy) ? (dx > 0 ? "right" : "left") : dy > 0 ? "down" : "up");
});
addEventListener("online", readWall);
db().subscribe(({ kind }) => kind === "error" || readWall());

/** Between where a thing comes from and where it is. */
const glide = ({ at, from }) => {
  const t = 1 - (1 - shift) ** 3;
  return { x: from.x + (at.x - from.x) * t, y: from.y + (at.y - from.y) * t };
};
const rect = (x, y, width, height, color, radius = 0, opacity = 1) =>
  k.drawRect({ pos: k.vec2(x, y), width, height, color: ink(color), radius, opacity });

function drawRack(x, y) {
  rect(x, y, 1, 1, "shelf", 0.06);
  rect(x + 0.04, y + 0.04, 0.92, 0.86, "rack", 0.06);
  // What stands on the shelf depends on the place, so it is always the same.
  const kind = (x * 7 + y * 13) % 4;
  if (kind < 3) rect(x + 0.16, y + 0.18, 0.3, 0.26, "box", 0.03, 0.85);
  if (kind !== 1) rect(x + 0.54, y + 0.18, 0.3, 0.26, "box", 0.03, 0.6);
  if (kind % 2 === 0) rect(x + 0.3, y + 0.52, 0.4, 0.24, "box", 0.03, 0.7);
}

function drawBay({ x, y }) {
  k.drawRect({
    pos: k.vec2(x + 0.12, y + 0.12),
    width: 0.76,
    height: 0.76,
    fill: false,
    outline: { width: 0.07, color: ink("bay") },
    radius: 0.05,
  });
  for (const side of [-1, 1]) {
    k.drawLine({
      p1: k.vec2(x + 0.5 - 0.16, y + 0.5 - 0.16 * side),
      p2: k.vec2(x + 0.5 + 0.16, y + 0.5 + 0.16 * side),
      width: 0.06,
      color: ink("bay"),
      opacity: 0.7,
    });
  }
}

function drawCrate(crate) {
  const { x, y } = glide(crate);
  const is_done = bays.has(key(crate.at.x, crate.at.y));
  const edge = is_done ? "done_edge" : "edge";
  rect(x + 0.1, y + 0.16, 0.84, 0.8, "shade", 0.08, 0.22);
  rect(x + 0.08, y + 0.08, 0.84, 0.84, edge, 0.08);
  rect(x + 0.15, y + 0.15, 0.7, 0.7, is_done ? "done" : "crate", 0.04);
  for (const at of [0.36, 0.6]) rect(x + 0.15, y + at, 0.7, 0.04, edge, 0, 0.55);
  if (is_done) {
    k.drawLines({
      pts: [[0.3, 0.52], [0.44, 0.66], [0.72, 0.34]].map(([px, py]) => k.vec2(x + px, y + py)),
      width: 0.09,
      color: ink("box"),
    });
  }
}

function drawLift() {
  const { x, y } = glide(lift);
  const [dx, dy] = WAYS[lift.way];
  k.pushTransform();
  k.pushTranslate(k.vec2(x + 0.5, y + 0.5));
  k.pushRotate(Math.atan2(dy, dx) * 180 / Math.PI);
  rect(-0.36, -0.28, 0.74, 0.64, "shade", 0.1, 0.22);
  for (const side of [-0.2, 0.12]) rect(0.22, side, 0.3, 0.08, "fork", 0.02);
  for (const [wx, wy] of [[-0.3, -0.36], [-0.3, 0.26], [0.06, -0.36], [0.06, 0.26]]) {
    rect(wx, wy, 0.2, 0.1, "dark", 0.04);
  }
  rect(-0.4, -0.3, 0.64, 0.6, "lift", 0.12);
  rect(-0.24, -0.21, 0.34, 0.42, "dark", 0.08);
  rect(-0.2, -0.17, 0.26, 0.34, "glass", 0.06);
  rect(0.18, -0.26, 0.07, 0.52, "dark", 0.02);
  k.popTransform();
}

k.onDraw(() => {
  look = night.matches ? NIGHT : DAY;
  k.drawRect({ width: k.width(), height: k.height(), color: ink("floor") });
  if (!racks) return;
  shift = Math.min(1, shift + k.dt() / 0.12);
  const rows = LEVELS[index].map.split("|");
  const [wide, high] = [Math.max(...rows.map((row) => row.length)), rows.length];
  const size = Math.min(k.width() / (wide + 0.4), k.height() / (high + 0.4), 96);
  k.pushTransform();
  k.pushTranslate(k.vec2((k.width() - wide * size) / 2, (k.height() - high * size) / 2));
  k.pushScale(size);
  for (let x = 0; x <= wide; x++) rect(x - 0.01, 0, 0.02, high, "line");
  for (let y = 0; y <= high; y++) rect(0, y - 0.01, wide, 0.02, "line");
  for (const { x, y } of racks.values()) drawRack(x, y);
  for (const bay of bays.values()) drawBay(bay);
  for (const crate of crates) drawCrate(crate);
  drawLift();
  k.popTransform();
});

open(0);
menu();
