/**
 * The console's grid over a million records in Chromium: how long rows stay blank while the list is scrolled from end to
 * end at a steady speed, while its scroll bar is dragged, after jumps, and while it is read page by page.
 *
 * What has been painted is looked at after each frame. A row is blank if it is in view without its values. The view is
 * blank as long as any part of it shows a blank row or no row at all, even if these are other rows in each frame. The
 * view is late by the time that has passed since the list was scrolled to what the view shows without a blank row.
 */
import type { Page } from "../../packages/playwright.ts";
import { median } from "../measure/table.ts";
import type { Section } from "../measure/section.ts";
import { layOut } from "../measure/table.ts";
import { openBrowser } from "./browser.ts";
import { type GridStage, isAddress, newPlaces, setGridStage } from "./grid_stage.ts";

interface Options {
  rows: number;
  /** Of the scroll from end to end. */
  seconds: number;
  jumps: number;
  /** Addresses of PostgreSQL and folders of embedded databases, which stay filled. None: new ones. */
  places: readonly string[];
}

/** What a work has shown. */
interface Seen {
  /** Milliseconds: the longest time for which one row was blank. */
  row: number;
  /** Milliseconds: the longest time for which the view was blank. */
  view: number;
  /** Milliseconds: the most by which the view was late. */
  late: number;
  /** Of the painted frames, those in which the view was blank. */
  share: number;
  /** Milliseconds: the longest time between two frames. */
  frame: number;
}

/** Blank for longer, a row that is seen is noticed. */
const AIM_MS = 100;

/** Runs in the page. A message that is sent in a frame's callback arrives after the frame has been painted. */
const watchSource = (rows: number) => `
  const watch = window.watch = { row: 0, view: 0, late: 0, frame: 0, frames: 0, blank_frames: 0, running: true, blank: false };
  const since = new Map();
  const places = [];
  let view_since, last, shown_at;
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    if (!watch.running) return;
    requestAnimationFrame(next);
    const now = performance.now();
    if (last !== undefined) watch.frame = Math.max(watch.frame, now - last);
    last = now;
    const scroller = document.querySelector(".scroller");
    const box = scroller.getBoundingClientRect();
    const [top, bottom] = [box.top + 32, Math.min(box.bottom, box.top + scroller.clientHeight)];
    const blank = new Set();
    let [first, end, shown] = [Infinity, -Infinity, -1];
    for (const row of scroller.querySelectorAll(".rows > [role=row]")) {
      const rect = row.getBoundingClientRect();
      first = Math.min(first, rect.top);
      end = Math.max(end, rect.bottom);
      if (rect.top <= top + 1 && rect.bottom > top + 1) shown = row.ariaRowIndex - 2;
      if (rect.bottom > top && rect.top < bottom && row.querySelector("i.wait")) blank.add(row.ariaRowIndex);
    }
    for (const row of since.keys()) if (!blank.has(row)) since.delete(row);
    for (const row of blank) {
      if (!since.has(row)) since.set(row, now);
      watch.row = Math.max(watch.row, now - since.get(row));
    }
    watch.blank = blank.size > 0 || first > top + 1 || end < bottom - 1;
    const [content, view] = [scroller.scrollHeight - 32, scroller.clientHeight - 32];
    const scale = ${rows} * 32 > content ? (${rows} * 32 - view) / (content - view) : 1;
    places.push([now, Math.floor(scroller.scrollTop * scale / 32)]);
    if (places.length > 500) places.shift();
    // The browser rounds the position to parts of a pixel.
    const place = watch.blank ? undefined : places.findLast(([, row]) => Math.abs(row - shown) <= 2);
    if (place) shown_at = place[0];
    watch.late = Math.max(watch.late, now - (shown_at ?? places[0][0]));
    watch.frames++;
    if (watch.blank) {
      watch.blank_frames++;
      view_since ??= now;
      watch.view = Math.max(watch.view, now - view_since);
    } else view_since = undefined;
  };
  const next = () => port2.postMessage(0);
  requestAnimationFrame(next);
`;

async function watched(page: Page, rows: number, work: string): Promise<Seen> {
  await page.evaluate(`{ ${watchSource(rows)} }`);
  await page.evaluate(work);
  return await page.evaluate<Seen>(`(() => {
    const { row, view, late, frame, frames, blank_frames } = window.watch;
    window.watch.running = false;
    return { row, view, late, frame, share: blank_frames / frames };
  })()`);
}

/** Resolves once nothing in view is blank. */
const SETTLED = `new Promise((resolve) => {
  const began = performance.now();
  (function wait() {
    performance.now() - began > 100 && !window.watch.blank ? resolve() : requestAnimationFrame(wait);
  })();
})`;

/** Every frame goes on by the part of the list that the time demands. */
const move = (from: number, to: number, seconds: number) =>
  `new Promise((resolve) => {
  const scroller = document.querySelector(".scroller");
  const began = performance.now();
  (function step() {
    const part = Math.min(1, (performance.now() - began) / ${seconds * 1000});
    scroller.scrollTop = (${from} + part * ${to - from}) * (scroller.scrollHeight - scroller.clientHeight);
    part < 1 ? requestAnimationFrame(step) : resolve();
  })();
}).then(() => ${SETTLED})`;

const jump = (part: number) =>
  `(() => {
  const scroller = document.querySelector(".scroller");
  scroller.scrollTop = ${part} * (scroller.scrollHeight - scroller.clientHeight);
  return ${SETTLED};
})()`;

/** The thumb of the scroll bar goes to other places, each in a second, and rests there. */
const DRAGS = [0.5, 0.52, 0.1, 0.9, 0.88, 0.3, 1, 0];
const DRAG = DRAGS.map((to, i) => `await ${move(DRAGS[i - 1] ?? 0, to, 1)};`).join("\n");

/** As a person who turns the wheel: ten rows every 30 ms. */
const READ = `new Promise((resolve) => {
  const scroller = document.querySelector(".scroller");
  let turns = 0;
  const timer = setInterval(() => {
    scroller.dispatchEvent(new WheelEvent("wheel", { deltaY: 320, cancelable: true, bubbles: true }));
    if (++turns < 300) return;
    clearInterval(timer);
    setTimeout(resolve, 500);
  }, 30);
})`;

/** A part of the list that differs with each number. */
const partOf = (i: number) => (i * 0.618) % 1;

async function measureOn({ origin, cookie, code }: GridStage, { rows, seconds, jumps }: Options) {
  await using stack = new AsyncDisposableStack();
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const [name = "", value = ""] = cookie.split("=");
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: "Lax" }]);
  const open = async () => {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${origin}/data/${code}/records`);
    await page.getByText(`${rows.toLocaleString("en")} records`).waitFor();
    return page;
  };
  // The first one waits until the console has been built.
  await (await open()).close();
  const at_once: Seen[] = [];
  for (let i = 1; i <= 3; i++) {
    const page = await open();
    at_once.push(await watched(page, rows, jump(partOf(i))));
    await page.close();
  }
  const page = await open();
  const scrolled = await watched(page, rows, move(0, 1, seconds));
  const back = await watched(page, rows, move(1, 0, seconds / 3));
  const dragged = await watched(page, rows, `(async () => { ${DRAG} })()`);
  const jumped: Seen[] = [];
  for (let i = 1; i <= jumps; i++) jumped.push(await watched(page, rows, jump(partOf(i))));
  await watched(page, rows, jump(0.5));
  const read = await watched(page, rows, READ);
  return { at_once, scrolled, back, dragged, jumped, read };
}

const longest = (all: readonly Seen[]): Seen => ({
  row: Math.max(...all.map(({ row }) => row)),
  view: Math.max(...all.map(({ view }) => view)),
  late: Math.max(...all.map(({ late }) => late)),
  share: Math.max(...all.map(({ share }) => share)),
  frame: Math.max(...all.map(({ frame }) => frame)),
});

const middle = (all: readonly Seen[]): Seen => ({
  row: median(all.map(({ row }) => row)),
  view: median(all.map(({ view }) => view)),
  late: median(all.map(({ late }) => late)),
  share: median(all.map(({ share }) => share)),
  frame: median(all.map(({ frame }) => frame)),
});

function reportOf(
  place: string,
  found: Awaited<ReturnType<typeof measureOn>>,
  { rows, seconds, jumps }: Options,
): string {
  const ms = (value: number) => `${value.toFixed(0)} ms`;
  const line = (name: string, { row, view, late, share, frame }: Seen) => [
    name,
    ms(row),
    ms(view),
    ms(late),
    `${(share * 100).toFixed(1)} %`,
    ms(frame),
    `≤${AIM_MS} ms ${Math.max(row, view, late) <= AIM_MS ? "met" : row <= AIM_MS ? "met by rows" : "MISSED"}`,
  ];
  const title = `${rows.toLocaleString("en")}, ${isAddress(place) ? "PostgreSQL" : "embedded"}`;
  return layOut([
    [title, "a row is blank", "the view is", "is late", "blank frames", "longest frame", "aim"],
    line(`end to end in ${seconds} s`, found.scrolled),
    line(`back in ${seconds / 3} s`, found.back),
    line(`${DRAGS.length} drags of the scroll bar`, found.dragged),
    line(`${jumps} jumps, median`, middle(found.jumped)),
    line(`${jumps} jumps, longest`, longest(found.jumped)),
    line("a jump at once after opening", longest(found.at_once)),
    line("3,000 rows by wheel", found.read),
  ], 1);
}

export const grid = (options: Options): Section => ({
  name: "grid",
  missing: undefined,
  async measure(stack) {
    const result: Record<string, unknown> = { ...options };
    const reports: string[] = [];
    for (const place of options.places.length > 0 ? options.places : await newPlaces(stack)) {
      await using own = new AsyncDisposableStack();
      const found = await measureOn(await setGridStage(own, place, options.rows), options);
      result[isAddress(place) ? "postgres" : "embedded"] = found;
      reports.push(reportOf(place, found, options));
    }
    return { result, report: reports.join("\n\n") };
  },
});
