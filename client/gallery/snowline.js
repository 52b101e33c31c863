// An endless ski slope. Trees are not stored: each square of the slope computes its tree from its own coordinates.
const CELL = 80; // width and height of a square, in pixels
const GATE = 320; // distance between two gates, in pixels
const DAY = {
  snow: "#eef5fb",
  shade: "#c9dcec",
  trail: "#b4cde2",
  dark: "#2f6b56",
  light: "#3f8768",
  trunk: "#7a5a44",
  cap: "#ffffff",
  flag: ["#e5484d", "#2f6fde"],
  coat: "#e5484d",
  skin: "#f2c9a1",
  lamp: "#ffffff",
};
const NIGHT = {
  snow: "#1c2744",
  shade: "#151d36",
  trail: "#33436d",
  dark: "#1d4a48",
  light: "#28605a",
  trunk: "#3b2e33",
  cap: "#8fa3cf",
  flag: ["#ff7b7f", "#7aa5ff"],
  coat: "#ff9d5c",
  skin: "#f2c9a1",
  lamp: "#fff3c4",
};
const night = matchMedia("(prefers-color-scheme: dark)");

document.head.insertAdjacentHTML(
  "beforeend",
  `<style>
:root { color-scheme: light dark }
html, body, #platform-app { height: 100%; margin: 0; overflow: hidden; touch-action: none; background: light-dark(#eef5fb, #1c2744) }
.hud { position: fixed; inset: 0; display: grid; grid-template-rows: auto 1fr; pointer-events: none; color: light-dark(#1d3346, #e6edff);
  font: 600 1.1rem/1.3 ui-rounded, system-ui, sans-serif; user-select: none }
.hud p { margin: 0; padding: 1rem 1.25rem; display: flex; justify-content: space-between; font-variant-numeric: tabular-nums;
  text-shadow: 0 0 .5rem light-dark(#eef5fb, #1c2744), 0 0 .2rem light-dark(#eef5fb, #1c2744) }
.card { place-self: center; margin-top: 24vh; text-align: center; padding: 1.5rem 2rem; border-radius: 1.5rem;
  background: light-dark(#ffffffd9, #0d142bd9); max-width: 20rem }
.card[hidden] { display: none }
h1 { font-size: 2.2rem; margin: 0 }
.card div { font-weight: 400; margin: .4rem 0 1rem }
button { pointer-events: auto; font: inherit; border: 0; border-radius: 2rem; padding: .6rem 1.6rem; background: #e5484d; color: #fff; cursor: pointer }
button:focus-visible { outline: 3px solid currentColor; outline-offset: 2px }
</style>`,
);
document.body.insertAdjacentHTML(
  "beforeend",
  `<div class="hud"><p><span class="run"></span><span class="best"></span></p>
<section class="card"><h1>Snowline</h1><div role="status">Steer with ← and →, or touch a side. Gates count.</div><button>Push off</button></section></div>`,
);
const one = (selector) => document.querySelector(selector);

const k = kaboom({ global: false, root: one("#platform-app"), background: [238, 245, 251] });
k.canvas.setAttribute("role", "img");
k.canvas.setAttribute("aria-label", "A skier on a slope");

const paint = Object.fromEntries([DAY, NIGHT].flatMap(Object.values).flat().map((hex) => [hex, k.Color.fromHex(hex)]));
let look = DAY;
const ink = (name) => paint[look[name]];

/** A pseudo-random number from 0 to 1, always the same for the same square and salt. */
function chance(x, y, salt = 0) {
  const seed = Math.sin(x * 127.1 + y * 311.7 + salt * 74.7) * 43758.5453;
  return seed - Math.floor(seed);
}
/** The n-th gate: its middle and half its width, which shrinks as the run goes on. */
const gateAt = (n) => ({
  x: Math.sin((n - 1) * 0.9) * 150 + Math.sin((n - 1) * 0.37) * 120,
  y: n * GATE,
  half: Math.max(42, 66 - n),
});

let skier, trail, spray, gates, running = false;
let best = Number(localStorage.getItem("snowline") ?? 0);
const metres = () => Math.max(0, Math.floor(skier.y / 12));
const score = () => metres() + gates * 25;

function reset() {
  skier = { x: 0, y: 0, turn: 0, speed: 0, fallen: 0 };
  [trail, spray, gates] = [[], [], 0];
}

function start() {
  if (running) return;
  reset();
  running = true;
  skier.speed = 120;
  one(".card").hidden = true;
  k.canvas.focus();
}

function fall() {
  running = false;
  const record = score() > best;
  best = Math.max(best, score());
  localStorage.setItem("snowline", best);
  one("h1").textContent = record ? "Your best run" : "Into the trees";
  one("[role=status]").textContent = `${score()} points: ${metres()} metres and ${gates} ${
    gates === 1 ? "gate" : "gates"
  }.`;
  one("button").textContent = "Once more";
  one(".card").hidden = false;
}

/** The tree of a square, if it has one. There are none near the start and in gates, and more further down. */
function treeIn(column, row) {
  if (chance(column, row) > 0.24 + Math.min(0.16, row * 0.0006)) return;
  const x = (column + 0.2 + chance(column, row, 1) * 0.6) * CELL;
  const y = (row + 0.2 + chance(column, row, 2) * 0.6) * CELL;
  if (y < 260 && Math.abs(x) < 150) return;
  const gate = gateAt(Math.round(y / GATE));
  if (Math.abs(y - gate.y) < 70 && Math.abs(x - gate.x) < 110) return;
  return { x, y, size: 0.75 + chance(column, row, 3) * 0.6 };
}

/** Advances the run by `dt` seconds: steering, speed, gates, collisions. */
function steer(dt) {
  const finger = k.isMouseDown() ? Math.sign(k.mousePos().x - k.width() / 2) : 0;
  const way = finger ||
    Number(k.isKeyDown("right") || k.isKeyDown("d")) - Number(k.isKeyDown("left") || k.isKeyDown("a"));
  const before = skier.y;
  skier.turn = way ? Math.max(-1.15, Math.min(1.15, skier.turn + way * dt * 3.2)) : skier.turn * (1 - dt * 1.6);
  const top = 330 + Math.min(260, skier.y / 45);
  skier.speed += (Math.cos(skier.turn) * top - skier.speed) * dt * 0.9;
  skier.x += Math.sin(skier.turn) * skier.speed * dt;
  skier.y += Math.cos(skier.turn) * skier.speed * dt;
  trail.push({ x: skier.x, y: skier.y });
  if (trail.length > 160) trail.shift();
  if (Math.abs(skier.turn) > 0.7) {
    spray.push({ x: skier.x, y: skier.y, side: -Math.sign(skier.turn), age: 0, size: Math.random() });
  }
  const gate = gateAt(Math.floor(skier.y / GATE));
  if (gate.y > before && gate.y > 0 && Math.abs(skier.x - gate.x) < gate.half) gates++;
  const [column, row] = [Math.floor(skier.x / CELL), Math.floor(skier.y / CELL)];
  for (let i = 0; i < 9; i++) {
    const tree = treeIn(column - 1 + i % 3, row - 1 + Math.floor(i / 3));
    if (tree && Math.hypot(tree.x - skier.x, (tree.y - skier.y) * 1.4) < 13 * tree.size + 5) return fall();
  }
}

k.onUpdate(() => {
  const dt = k.dt();
  // Steps of at most 0.04 s keep the game the same on a slow machine, which only draws fewer frames.
  for (let left = Math.min(dt, 0.5); running && left > 0; left -= 0.04) steer(Math.min(left, 0.04));
  if (running) skier.fallen = 0;
  else skier.fallen = skier.y > 0 ? Math.min(1, skier.fallen + dt * 2) : 0;
  spray = spray.filter((flake) => (flake.age += dt) < 0.5);
  one(".run").textContent = `${metres()} m · ${gates} ${gates === 1 ? "gate" : "gates"}`;
  one(".best").textContent = best ? `Best ${best}` : "";
});

function drawTree({ x, y, size }) {
  const at = (dx, dy) => k.vec2(x + dx * size, y + dy * size);
  k.drawEllipse({ pos: at(10, 1), radiusX: 22 * size, radiusY: 7 * size, color: ink("shade") });
  k.drawRect({ pos: at(-4, -10), width: 8 * size, height: 12 * size, color: ink("trunk") });
  for (const [base, half, tall] of [[-6, 22, 30], [-22, 17, 26], [-37, 12, 24]]) {
    k.drawTriangle({ p1: at(-half, base), p2: at(half, base), p3: at(0, base - tall), color: ink("dark") });
    k.drawTriangle({ p1: at(-half, base), p2: at(-half / 5, base), p3: at(0, base - tall), color: ink("light") });
  }
  k.drawTriangle({ p1: at(-5, -51), p2: at(5, -51), p3: at(0, -61), color: ink("cap") });
}

function drawGate(n) {
  const { x, y, half } = gateAt(n);
  for (const side of [-1, 1]) {
    const foot = x + side * half;
    k.drawEllipse({ pos: k.vec2(foot + 3, y), radiusX: 7, radiusY: 3, color: ink("shade") });
    k.drawRect({ pos: k.vec2(foot - 1.5, y - 34), width: 3, height: 34, color: ink("trunk") });
    k.drawTriangle({
      p1: k.vec2(foot, y - 34),
      p2: k.vec2(foot, y - 18),
      p3: k.vec2(foot + 20, y - 26),
      color: paint[look.flag[n & 1]],
    });
  }
}

function drawSkier() {
  k.pushTransform();
  k.pushTranslate(k.vec2(skier.x, skier.y));
  k.drawEllipse({ pos: k.vec2(6, 3), radiusX: 13, radiusY: 5, color: ink("shade") });
  k.pushRotate(-skier.turn * 50 + skier.fallen * 100);
  for (const side of [-4.5, 4.5]) {
    k.drawRect({ pos: k.vec2(side - 1.5, -16), width: 3, height: 36, radius: 1.5, color: ink("trunk") });
  }
  k.drawRect({ pos: k.vec2(-7, -18), width: 14, height: 20, radius: 6, color: ink("coat") });
  k.drawCircle({ pos: k.vec2(0, -20), radius: 6.5, color: ink("skin") });
  k.drawCircle({ pos: k.vec2(0, -22.5), radius: 6, color: paint[look.flag[1]] });
  k.popTransform();
}

// Rows are drawn from top to bottom, and the skier between them, so that nearer things cover farther ones.
k.onDraw(() => {
  look = night.matches ? NIGHT : DAY;
  const zoom = Math.max(0.8, Math.min(1.5, k.height() / 620, k.width() / 380));
  const [wide, high] = [k.width() / zoom, k.height() / zoom];
  const [left, top] = [skier.x - wide / 2, skier.y - high * 0.3];
  k.drawRect({ width: k.width(), height: k.height(), color: ink("snow") });
  k.pushTransform();
  k.pushScale(zoom);
  k.pushTranslate(k.vec2(-left, -top));
  for (const side of [-4, 4]) {
    if (trail.length > 1) {
      k.drawLines({ pts: trail.map(({ x, y }) => k.vec2(x + side, y)), width: 2.5, color: ink("trail") });
    }
  }
  for (const { x, y, side, age, size } of spray) {
    k.drawCircle({
      pos: k.vec2(x + side * age * (30 + size * 60), y - age * 40 * size),
      radius: 2 + size * 3,
      color: ink("cap"),
      opacity: 1 - age * 2,
    });
  }
  const bottom = Math.ceil((top + high) / CELL) + 1;
  let drawn = false;
  for (let row = Math.floor(top / CELL); row <= bottom; row++) {
    for (let n = Math.max(1, Math.ceil(row * CELL / GATE)); n * GATE < (row + 1) * CELL; n++) drawGate(n);
    if (!drawn && row * CELL > skier.y) drawn = (drawSkier(), true);
    for (let column = Math.floor(left / CELL) - 1; column <= (left + wide) / CELL + 1; column++) {
      const tree = treeIn(column, row);
      if (tree) drawTree(tree);
    }
  }
  k.popTransform();
});

one("button").addEventListener("click", start);
// A new run starts only after the fall has ended, so that keys still held from the previous run do not start it.
k.onKeyPress((key) =>
  /^(space|enter|up|down|left|right)$/.test(key) && (skier.y === 0 || skier.fallen === 1) && start()
);
reset();
