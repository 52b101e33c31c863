// A dial of 24 hours with noon at the top. Each city is placed at its local time, so the lower half is where it is
// night. Plain JavaScript: the server sends it as it is, and it draws into #platform-app.
const CITIES = [
  ["San Francisco", "SFO", "America/Los_Angeles"],
  ["New York", "NYC", "America/New_York"],
  ["São Paulo", "SAO", "America/Sao_Paulo"],
  ["Lagos", "LOS", "Africa/Lagos"],
  ["Nairobi", "NBO", "Africa/Nairobi"],
  ["Delhi", "DEL", "Asia/Kolkata"],
  ["Tokyo", "TYO", "Asia/Tokyo"],
  ["Auckland", "AKL", "Pacific/Auckland"],
];
const here = Intl.DateTimeFormat().resolvedOptions().timeZone;
const places = [["Here", "YOU", here], ...CITIES].map(([name, code, timeZone]) => ({
  name,
  code,
  format: new Intl.DateTimeFormat("en-GB", {
    timeZone,
    hourCycle: "h23",
    weekday: "short",
    hour: "2-digit",
    minute: "2-digit",
  }),
}));
let home = places[0];
let shift = 0; // the shown time, in minutes from now

const style = document.createElement("style");
style.textContent = `
:root { color-scheme: light dark; font: 16px/1.4 system-ui, sans-serif;
  --paper: light-dark(#f4f1ea, #0e1016); --ink: light-dark(#1f2430, #eceae4); --line: light-dark(#1f243026, #eceae426);
  --day: light-dark(#ffe3a6, #c98a3d); --sky: light-dark(#b9dcef, #31527a); --night: light-dark(#33406f, #141b3c); --hand: #e0532f }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
main { max-width: 70rem; min-height: 100vh; margin: auto; padding: 1.5rem; display: grid; gap: 1.5rem 4rem; align-items: center;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)) }
svg { width: 100%; max-height: min(90vh, 38rem); overflow: visible }
h1 { font: 600 1rem/1 system-ui; letter-spacing: .2em; text-transform: uppercase; margin: 0 0 1rem; opacity: .6 }
.ring { stroke: var(--line); fill: none }
.hour { font-size: 5px; fill: var(--ink); text-anchor: middle; dominant-baseline: central; opacity: .7 }
.city { transition: transform .4s }
.city circle { fill: var(--paper); stroke: var(--ink); stroke-width: .5 }
.city text { font: 600 4.1px system-ui; text-anchor: middle; dominant-baseline: central; fill: var(--ink) }
.city.home circle { fill: var(--hand); stroke: none }
.city.home text { fill: #fff }
.time { font: 300 21px system-ui; text-anchor: middle; fill: var(--ink); font-variant-numeric: tabular-nums }
.place { font: 5px system-ui; text-anchor: middle; fill: var(--ink); opacity: .7 }
.second { fill: none; stroke: var(--hand); stroke-width: 1.4; stroke-linecap: round }
ul { list-style: none; margin: 0; padding: 0 }
li button { all: unset; box-sizing: border-box; width: 100%; display: flex; gap: 1rem; padding: .55rem .75rem; cursor: pointer; border-radius: .6rem;
  font-variant-numeric: tabular-nums }
li + li { border-top: 1px solid var(--line) }
li button:hover { background: var(--line) }
li button:focus-visible { outline: 2px solid var(--hand) }
li button[aria-pressed=true] { font-weight: 700; color: light-dark(#b93c1c, #ff8a66) }
li span:first-child { flex: 1 }
li span:nth-child(2) { opacity: .6 }
label { display: block }
input { width: 100%; accent-color: var(--hand); margin: .5rem 0 0 }
.reset { font: inherit; color: inherit; background: none; border: 1px solid var(--line); border-radius: 2rem; padding: .25rem .9rem; cursor: pointer }
.reset:disabled { opacity: .4; cursor: default }
.foot { display: flex; justify-content: space-between; align-items: center; margin: .75rem 0 1.25rem; gap: 1rem }
.foot p { margin: 0 }
@media (prefers-reduced-motion: reduce) { .city { transition: none } }`;
document.head.append(style);

/** The point on the dial for a minute of the day (0–1439). Noon is at the top. */
function point(minutes, radius) {
  const angle = (minutes / 1440) * 2 * Math.PI + Math.PI / 2;
  return [100 + Math.cos(angle) * radius, 100 + Math.sin(angle) * radius];
}

const hours = Array.from({ length: 24 }, (_, hour) => {
  const [x, y] = point(hour * 60, 63);
  return `<text class="hour" x="${x}" y="${y}">${hour % 3 === 0 ? hour : "·"}</text>`;
});
document.querySelector("#platform-app").innerHTML = `<main>
  <svg viewBox="0 0 200 200" role="img" aria-label="A dial of 24 hours, with noon above">
    <defs><linearGradient id="light" x2="0" y2="1"><stop stop-color="var(--day)"/><stop offset=".38" stop-color="var(--sky)"/>
      <stop offset=".7" stop-color="var(--night)"/></linearGradient></defs>
    <circle cx="100" cy="100" r="83" fill="none" stroke="url(#light)" stroke-width="26"/>
    <circle class="ring" cx="100" cy="100" r="52"/>
    <path class="second"/>${hours.join("")}
    <text class="time" x="100" y="104"></text><text class="place" x="100" y="117"></text>
    <g>${places.map(({ code }) => `<g class="city"><circle r="8"/><text>${code}</text></g>`).join("")}</g>
  </svg>
  <section><h1>Meridian</h1>
    <label>When do we talk?<input type="range" min="-720" max="720" step="15" value="0"></label>
    <div class="foot"><p role="status"></p><button class="reset" type="button">Back to now</button></div>
    <ul>${
  places.map(({ name }) => `<li><button type="button"><span>${name}</span><span></span><span></span></button></li>`)
    .join("")
}</ul>
  </section></main>`;

const all = (selector) => [...document.querySelectorAll(selector)];
const one = (selector) => document.querySelector(selector);
const cities = all(".city");
const rows = all("li button");

/** A place's weekday, clock and minute of the day. */
function timeAt(place, date) {
  const part = Object.fromEntries(place.format.formatToParts(date).map(({ type, value }) => [type, value]));
  return { day: part.weekday, clock: `${part.hour}:${part.minute}`, minutes: part.hour * 60 + Number(part.minute) };
}

/** The radius of each city. Cities closer than 17 degrees (68 minutes) alternate between two rings. */
function radii(times) {
  const order = times.map(({ minutes }, index) => ({ minutes, index })).sort((a, b) => a.minutes - b.minutes);
  const found = [];
  order.forEach(({ minutes, index }, rank) => {
    const before = order[rank - 1];
    found[index] = before && minutes - before.minutes < 68 && found[before.index] === 83 ? 101 : 83;
  });
  return found;
}

function draw() {
  const now = new Date();
  const date = new Date(now.getTime() + shift * 60_000);
  const times = places.map((place) => timeAt(place, date));
  const away = radii(times);
  times.forEach(({ day, clock, minutes }, index) => {
    const chosen = places[index] === home;
    const [x, y] = point(minutes, away[index]);
    cities[index].style.transform = `translate(${x}px, ${y}px)`;
    cities[index].classList.toggle("home", chosen);
    rows[index].ariaPressed = String(chosen);
    const [, weekday, time] = rows[index].children;
    weekday.textContent = day;
    time.textContent = clock;
  });
  one(".time").textContent = times[places.indexOf(home)].clock;
  one(".place").textContent = home.name === "Here" ? here.replace(/.*\//, "").replaceAll("_", " ") : home.name;
  const turn = (now.getSeconds() / 60) * 2 * Math.PI - Math.PI / 2;
  const end = [100 + Math.cos(turn) * 52, 100 + Math.sin(turn) * 52];
  one(".second").setAttribute("d", `M100 48A52 52 0 ${now.getSeconds() > 30 ? 1 : 0} 1 ${end.join(" ")}`);
}

/** Shows the chosen shift in words, then draws. */
function say() {
  const [hours, minutes] = [Math.floor(Math.abs(shift) / 60), Math.abs(shift) % 60];
  const span = [hours && `${hours} h`, minutes && `${minutes} min`].filter(Boolean).join(" ");
  one("[role=status]").textContent = shift === 0 ? "This very moment" : shift > 0 ? `In ${span}` : `${span} ago`;
  one(".reset").disabled = shift === 0;
  draw();
}

rows.forEach((row, index) => row.addEventListener("click", () => (home = places[index], draw())));
one("input").addEventListener("input", ({ target }) => (shift = target.valueAsNumber, say()));
one(".reset").addEventListener("click", () => {
  shift = one("input").valueAsNumber = 0;
  say();
});
say();
setInterval(draw, 1000);
