// A public status page. A trigger starts the flow `status_check` every five minutes; it writes what it has found into
// public records, which this page shows and follows. Members also see the buttons for incidents.
const { action, db, user } = platform;
const DAYS = 90;
/** Without a check for so long, a service's state is unknown. */
const STALE_MS = 20 * 60_000;
const IMPACTS = { minor: "Minor disturbance", major: "Outage", maintenance: "Maintenance" };
const STATES = {
  investigating: "Investigating",
  identified: "Identified",
  monitoring: "Watching",
  resolved: "Resolved",
};
const WORDS = { up: "Works", down: "Does not answer", unknown: "Unknown" };

document.title = "Status";
document.head.insertAdjacentHTML(
  "beforeend",
  `<meta name="viewport" content="width=device-width, initial-scale=1"><style>
:root {
  color-scheme: light dark;
  --ink: light-dark(#16191f, #e6e9ef); --dim: light-dark(#565d6a, #9aa3b2);
  --page: light-dark(#fbfbfc, #0e1116); --sheet: light-dark(#fff, #161b22); --edge: light-dark(#dfe2e8, #2a313c);
  --up: light-dark(#1b8a5a, #3fc58a); --some: light-dark(#d99a1b, #e8b84a); --down: light-dark(#c9342c, #ff7b72);
  --none: light-dark(#d5d9e0, #2c333e); --calm: light-dark(#3366cc, #7aa7ff);
}
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 "Inter", "Segoe UI", system-ui, sans-serif; }
main { max-width: 58rem; margin: auto; padding: clamp(1.25rem, 4vw, 3.5rem) clamp(1rem, 4vw, 2rem) 4rem; }
header { display: flex; align-items: center; justify-content: space-between; gap: 1rem; margin-bottom: 1.5rem; }
h1, h2, h3, p, ul, ol { margin: 0; padding: 0; }
h1 { font-size: 1.15rem; font-weight: 650; }
h2 { font-size: 1.15rem; font-weight: 650; margin: 2.5rem 0 0.75rem; }
h3 { font-size: 1rem; font-weight: 600; }
ul, ol { list-style: none; }
button, input, select, textarea { font: inherit; color: inherit; }
button { cursor: pointer; border-radius: 0.5rem; border: 1px solid light-dark(#8a92a0, #5b6574); background: var(--sheet); padding: 0.4rem 0.9rem; }
button:hover { border-color: var(--ink); }
.primary { background: var(--ink); color: var(--page); border-color: var(--ink); }
:is(button, input, select, textarea, summary):focus-visible { outline: 3px solid var(--calm); outline-offset: 2px; }
.dim { color: var(--dim); font-size: 0.9rem; }
.overall { border-radius: 1rem; padding: clamp(1.25rem, 4vw, 2.25rem); color: #fff; background: light-dark(#14724a, #125236); }
.overall.down { background: light-dark(#b3271f, #8a1f19); } .overall.some { background: light-dark(#8a5a00, #664300); }
.overall.unknown { background: light-dark(#4c5360, #2f3743); }
.overall p:first-child { font-size: clamp(1.5rem, 4.5vw, 2.25rem); font-weight: 650; letter-spacing: -0.02em; line-height: 1.15; }
.overall p + p { opacity: 0.92; margin-top: 0.35rem; }
.card { background: var(--sheet); border: 1px solid var(--edge); border-radius: 1rem; }
.service { padding: 1.1rem 1.25rem; border-top: 1px solid var(--edge); }
.service:first-child { border-top: 0; }
.line { display: flex; align-items: baseline; gap: 0.25rem 0.75rem; flex-wrap: wrap; }
.line .state { margin-left: auto; font-weight: 600; display: flex; align-items: center; gap: 0.45rem; }
.state i { width: 0.65rem; height: 0.65rem; border-radius: 50%; background: var(--none); }
.state.up i { background: var(--up); } .state.down i { background: var(--down); border-radius: 0.15rem; }
.bars { display: flex; gap: 2px; height: 2.25rem; margin: 0.75rem 0 0.4rem; }
.bars i { flex: 1; border-radius: 2px; background: var(--none); min-width: 0; }
.bars i:hover { filter: brightness(0.8); }
.bars .up { background: var(--up); } .bars .some { background: var(--some); } .bars .down { background: var(--down); }
.scale { display: flex; justify-content: space-between; gap: 0.75rem; }
.scale b { color: var(--ink); font-weight: 600; font-variant-numeric: tabular-nums; }
.scale .short { display: none; }
details { margin-top: 0.35rem; } summary { cursor: pointer; width: fit-content; border-radius: 0.3rem; }
details li { display: flex; justify-content: space-between; gap: 1rem; border-top: 1px solid var(--edge); padding: 0.3rem 0; font-variant-numeric: tabular-nums; }
.incident { padding: 1.1rem 1.25rem; margin-top: 0.75rem; border-left: 4px solid var(--some); }
.incident.major { border-left-color: var(--down); } .incident.maintenance { border-left-color: var(--calm); }
.incident .line button { margin-left: auto; }
.incident ol { margin-top: 0.75rem; display: grid; gap: 0.75rem; }
.incident ol li { display: grid; grid-template-columns: 7rem 1fr; gap: 0 1rem; }
.incident ol p { white-space: pre-line; overflow-wrap: anywhere; }
.incident ol b { font-weight: 600; }
.empty { padding: 1.5rem; text-align: center; color: var(--dim); }
.problem { background: light-dark(#fdeaea, #3a1715); color: light-dark(#7c1510, #ffc1bc); border-radius: 0.6rem; padding: 0.7rem 1rem; margin-bottom: 1rem; }
.ghost { height: 7rem; border-top: 1px solid var(--edge); background: linear-gradient(var(--edge), var(--edge)) 1.25rem 50% / calc(100% - 2.5rem) 2.25rem no-repeat; opacity: 0.6; }
dialog { border: 1px solid var(--edge); border-radius: 1rem; background: var(--sheet); color: var(--ink); padding: 1.5rem; width: min(32rem, calc(100vw - 2rem)); box-sizing: border-box; }
dialog::backdrop { background: #0008; }
dialog h2 { margin: 0 0 1rem; }
dialog label { display: grid; gap: 0.25rem; margin-bottom: 0.9rem; color: var(--dim); font-size: 0.9rem; }
dialog :is(input, select, textarea) { color: var(--ink); background: var(--page); border: 1px solid light-dark(#8a92a0, #5b6574); border-radius: 0.5rem; padding: 0.55rem 0.7rem; font-size: 1rem; width: 100%; box-sizing: border-box; resize: vertical; }
.ends { display: flex; gap: 0.75rem; justify-content: flex-end; }
@media (max-width: 44rem) {
  .line .dim { order: 1; width: 100%; }
  .bars i:nth-child(-n + 45) { display: none; } .scale .long { display: none; } .scale .short { display: inline; }
  .incident ol li { grid-template-columns: 1fr; }
}
</style>`,
);
document.querySelector("#platform-app").innerHTML = `<main aria-busy="true">
<header><h1>Harbour Cloud status</h1></header>
<p class="problem" role="alert" hidden></p>
<div class="overall unknown" role="status"><p>Reading …</p></div>
<h2 id="now" hidden>Now</h2><div id="active"></div>
<h2 id="services-title">Services</h2>
<ul id="services" class="card" aria-labelledby="services-title"><li class="ghost"></li><li class="ghost"></li><li class="ghost"></li></ul>
<h2>Past incidents</h2><div id="past"></div>
<dialog aria-labelledby="dialog-title"></dialog></main>`;

const one = (selector) => document.querySelector(selector);
/** An element; texts are never read as HTML. */
const make = (tag, fields = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(fields)) {
    if (name in element && name !== "role" && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
};
const iso = (date) => date.toISOString().slice(0, 10);
const day = (text) => new Date(text).toLocaleDateString("en-GB", { day: "numeric", month: "long" });
const moment = (text) =>
  new Date(text).toLocaleString("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const percent = (share) => `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`;

let data;
let reads = 0;
async function load() {
  const read = ++reads;
  try {
    const first = iso(new Date(Date.now() - DAYS * 86_400_000));
    const [services, days, incidents, updates] = await Promise.all([
      db().list({ sort: "position" }),
      db("status_days").list({ per_page: 500, filter: { day: { gt: first } }, sort: "-day" }),
      db("status_incidents").list({ per_page: 50, sort: "-started_at" }),
      db("status_updates").list({ per_page: 200, sort: "-at" }),
    ]);
    if (read !== reads) return;
    data = { services, days, incidents, updates };
    complain("");
    post.disabled = false;
    draw();
  } catch (error) {
    if (read === reads) complain(error.message);
  }
}

function complain(text) {
  const box = one(".problem");
  if (text && !data) one(".overall p").textContent = "The status cannot be read";
  box.hidden = !text;
  if (text) {
    box.replaceChildren(`${text} `, make("button", { type: "button", textContent: "Try again", onclick: load }));
  }
}

const stateOf = ({ state, checked_at }) => !state || Date.now() - Date.parse(checked_at) > STALE_MS ? "unknown" : state;
const gradeOf = ({ checks, failed }) => failed === 0 ? "up" : failed / checks < 0.1 ? "some" : "down";

/** Fills an element where its content differs, so that the focus stays where nothing has changed. */
function fill(selector, ...children) {
  const box = one(selector);
  const next = box.cloneNode(false);
  next.append(...children);
  const open = new Set([...box.querySelectorAll("details[open]")].map(({ id }) => id));
  if (next.innerHTML === box.dataset.drawn) return;
  box.dataset.drawn = next.innerHTML;
  for (const details of next.querySelectorAll("details")) details.open = open.has(details.id);
  box.replaceChildren(...next.childNodes);
}

function draw() {
  const { services, incidents } = data;
  const active = incidents.filter(({ state }) => state !== "resolved");
  const states = services.map(stateOf);
  const bad = services.filter((service) => stateOf(service) === "down");
  const mood = bad.length > 0 || active.some(({ impact }) => impact === "major")
    ? "down"
    : active.length > 0
    ? "some"
    : states.some((state) => state === "unknown") || states.length === 0
    ? "unknown"
    : "up";
  const headline = {
    up: "Everything works",
    some: active[0]?.title,
    unknown: services.length === 0 ? "No services yet" : "Waiting for the next check",
    down: bad.length > 0
      ? `${bad.map(({ name }) => name).join(" and ")} ${bad.length === 1 ? "does" : "do"} not answer`
      : active[0]?.title,
  }[mood];
  const latest = services.map(({ checked_at }) => checked_at).filter(Boolean).sort().at(-1);
  one(".overall").className = `overall ${mood}`;
  fill(
    ".overall",
    make("p", { textContent: headline }),
    make("p", { textContent: latest ? `Checked ${moment(latest)}, again every five minutes` : "No check yet" }),
  );
  one("#now").hidden = active.length === 0;
  fill("#active", ...active.map(incidentOf));
  fill("#services", ...services.map(serviceOf));
  const past = incidents.filter(({ state }) => state === "resolved");
  fill(
    "#past",
    ...past.length > 0
      ? past.map(incidentOf)
      : [make("p", { className: "card empty", textContent: "Nothing has happened in the last months." })],
  );
  one("main").ariaBusy = "false";
}

function serviceOf(service) {
  const of_service = new Map(data.days.filter((one) => one.service === service.key).map((one) => [one.day, one]));
  const list = Array.from({ length: DAYS }, (_, index) => iso(new Date(Date.now() - (DAYS - 1 - index) * 86_400_000)));
  const known = [...of_service.values()];
  const checks = known.reduce((sum, one) => sum + one.checks, 0);
  const failed = known.reduce((sum, one) => sum + one.failed, 0);
  const troubled = known.filter((one) => one.failed > 0).sort((a, b) => b.day.localeCompare(a.day));
  const uptime = checks ? percent(1 - failed / checks) : "no checks yet";
  const state = stateOf(service);
  const bars = list.map((date) => {
    const found = of_service.get(date);
    const share = found ? percent(1 - found.failed / found.checks) : "no checks";
    return make("i", { className: found ? gradeOf(found) : "", title: `${day(date)}: ${share}` });
  });
  return make(
    "li",
    { className: "service" },
    make(
      "div",
      { className: "line" },
      make("h3", { textContent: service.name }),
      make("p", { className: "dim", textContent: service.about ?? "" }),
      make("p", { className: `state ${state}` }, make("i"), WORDS[state] ?? state),
    ),
    make("div", {
      className: "bars",
      role: "img",
      ariaLabel: `${service.name}: ${uptime} in 90 days, ${troubled.length} days with failures`,
    }, ...bars),
    make(
      "p",
      { className: "scale dim" },
      make("span", { className: "long", textContent: "90 days ago" }),
      make("span", { className: "short", textContent: "45 days ago" }),
      make("b", { textContent: uptime }),
      make("span", { textContent: "today" }),
    ),
    troubled.length === 0 ? null : make(
      "details",
      { className: "dim", id: `days-${service.key}` },
      make("summary", {
        textContent: troubled.length === 1 ? "1 day with failures" : `${troubled.length} days with failures`,
      }),
      make(
        "ul",
        {},
        ...troubled.map((one) =>
          make(
            "li",
            {},
            make("span", { textContent: day(one.day) }),
            make("span", { textContent: `${one.failed} of ${one.checks} checks failed` }),
          )
        ),
      ),
    ),
  );
}

function incidentOf(incident) {
  const { id, title, impact, state, service, started_at, resolved_at } = incident;
  const name = data.services.find(({ key }) => key === service)?.name;
  const said = data.updates.filter((update) => update.incident === id);
  const span = resolved_at ? `${moment(started_at)} to ${moment(resolved_at)}` : `since ${moment(started_at)}`;
  return make(
    "article",
    { className: `card incident ${impact}` },
    make(
      "div",
      { className: "line" },
      make("h3", { textContent: title }),
      user && state !== "resolved"
        ? make("button", {
          type: "button",
          textContent: "Update",
          ariaLabel: `Update ${title}`,
          onclick: () => ask(incident),
        })
        : null,
    ),
    make("p", { className: "dim", textContent: [IMPACTS[impact], name, span].filter(Boolean).join(" · ") }),
    make(
      "ol",
      {},
      ...said.map((update) =>
        make(
          "li",
          {},
          make("p", { className: "dim", textContent: moment(update.at) }),
          make("p", {}, make("b", { textContent: STATES[update.state] ?? update.state }), ` ${update.text}`),
        )
      ),
    ),
  );
}

const choice = (name, label, options, value) =>
  make(
    "label",
    {},
    label,
    make(
      "select",
      { name },
      ...Object.entries(options).map(([key, text]) =>
        make("option", { value: key, textContent: text, selected: key === value })
      ),
    ),
  );

/** The form of members: a new incident, or what is new of one. */
function ask(incident) {
  const dialog = one("dialog");
  const text = make(
    "label",
    {},
    incident ? "What is new?" : "What do visitors need to know?",
    make("textarea", { name: "text", rows: 4, required: true, minLength: 3, maxLength: 2000 }),
  );
  const problem = make("p", { className: "problem", role: "alert", hidden: true });
  const services = {
    "": "None in particular",
    ...Object.fromEntries(data.services.map(({ key, name }) => [key, name])),
  };
  const form = make(
    "form",
    {},
    make("h2", { id: "dialog-title", textContent: incident ? incident.title : "Post an incident" }),
    ...incident ? [choice("state", "It is now", STATES, incident.state)] : [
      make(
        "label",
        {},
        "Title",
        make("input", { name: "title", required: true, minLength: 3, maxLength: 120, autocomplete: "off" }),
      ),
      choice("impact", "Impact", IMPACTS, "minor"),
      choice("service", "Service", services, ""),
    ],
    text,
    problem,
    make(
      "p",
      { className: "ends" },
      make("button", { type: "button", textContent: "Cancel", onclick: () => dialog.close() }),
      make("button", { className: "primary", textContent: incident ? "Publish the update" : "Publish" }),
    ),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = one("dialog .primary");
    button.disabled = true;
    try {
      const fields = Object.fromEntries(new FormData(form));
      await (incident ? action("update", { incident: incident.id, ...fields }) : action("post", fields));
      dialog.close();
      await load();
    } catch (error) {
      problem.hidden = false;
      problem.textContent = Object.entries(error.fields ?? {}).map(([field, messages]) =>
        `${field.replace("input.", "")} ${messages[0]}`
      ).join("; ") || error.message;
    } finally {
      button.disabled = false;
    }
  });
  dialog.replaceChildren(form);
  dialog.showModal();
}

const post = make("button", { type: "button", textContent: "Post an incident", disabled: true, onclick: () => ask() });
if (user) one("header").append(post);
let due;
/** Several records change at once. */
const soon = () => {
  clearTimeout(due);
  due = setTimeout(load, 300);
};
load();
for (const code of [undefined, "status_incidents", "status_updates"]) {
  db(code).subscribe(({ kind }) => kind === "error" || soon());
}
setInterval(() => data && draw(), 60_000);
addEventListener("online", load);
addEventListener("offline", () => complain("You are offline. This is what was known before."));
