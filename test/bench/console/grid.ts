/**
 * The console's grid over a million records in Chromium: how long a row that is seen stays blank, while the list is
 * scrolled from end to end at a steady speed, after jumps, and while it is read page by page.
 */
import { chromium, type Page } from "../../packages/playwright.ts";
import { ADMIN_TOKEN, startServer, type TestServer } from "../../stage/harness.ts";
import { addSession, made } from "../../stage/people.ts";
import type { Section } from "../measure/section.ts";
import { layOut, median } from "../measure/table.ts";

interface Options {
  rows: number;
  /** Of the scroll from end to end. */
  seconds: number;
  jumps: number;
}

/** Blank for longer, a row that is seen is noticed. */
const AIM_MS = 100;
const SCHEMA = { fields: { title: "string", n: "integer" }, indexes: { idx_int_1: "n" } };

async function fill({ request, sql }: TestServer, rows: number): Promise<string> {
  const { id, code } = made(
    await request("POST", "/platform/dbs.json", { json: { db: { name: "Large", schema: SCHEMA } } }),
  );
  const first_ms = Date.parse("2026-01-01T00:00:00Z");
  for (let from = 0; from < rows; from += 50_000) {
    await sql`
      insert into records (id, table_id, data, search, created_at, updated_at, int_1)
      select
        (lpad(to_hex(${first_ms}::bigint + i), 12, '0') || '70008000' || lpad(to_hex(i), 12, '0'))::uuid,
        (select t.id from db_tables t where t.db_id = ${id}),
        json_build_object('title', 'Entry ' || i, 'n', i),
        array['entry ' || i],
        to_timestamp((${first_ms}::bigint + i) / 1000.0), to_timestamp((${first_ms}::bigint + i) / 1000.0), i
      from generate_series(${from}::bigint, ${Math.min(rows, from + 50_000) - 1}::bigint) i
    `;
  }
  await sql`vacuum analyze records`;
  return code;
}

/** Runs in the page: notes in each frame which of the seen rows are blank, and since when. */
const WATCH = `
  window.watch = { longest: 0, row: 0, running: true };
  const since = new Map();
  (function look() {
    if (!window.watch.running) return;
    const now = performance.now();
    const scroller = document.querySelector(".scroller");
    const box = scroller.getBoundingClientRect();
    const blank = new Set();
    for (const cell of scroller.querySelectorAll("[role=gridcell] i.wait")) {
      const row = cell.closest("[role=row]");
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom > box.top + 32 && top < box.bottom) blank.add(row.ariaRowIndex);
    }
    for (const row of since.keys()) if (!blank.has(row)) since.delete(row);
    for (const row of blank) {
      if (!since.has(row)) since.set(row, now);
      const lasted = now - since.get(row);
      if (lasted > window.watch.longest) Object.assign(window.watch, { longest: lasted, row: Number(row) });
    }
    window.watch.blank = blank.size;
    requestAnimationFrame(look);
  })();
`;

const watched = async (page: Page, work: string): Promise<number> => {
  await page.evaluate(`{ ${WATCH} }`);
  await page.evaluate(work);
  return await page.evaluate<number>("(window.watch.running = false, window.watch.longest)");
};

/** Every frame goes on by the part of the list that the time demands. */
const endToEnd = (seconds: number) =>
  `new Promise((resolve) => {
  const scroller = document.querySelector(".scroller");
  const began = performance.now();
  (function step() {
    const part = (performance.now() - began) / ${seconds * 1000};
    scroller.scrollTop = Math.min(1, part) * (scroller.scrollHeight - scroller.clientHeight);
    part < 1.01 ? requestAnimationFrame(step) : setTimeout(resolve, 500);
  })();
})`;

const jump = (part: number) =>
  `new Promise((resolve) => {
  const scroller = document.querySelector(".scroller");
  scroller.scrollTop = ${part} * (scroller.scrollHeight - scroller.clientHeight);
  requestAnimationFrame(() => requestAnimationFrame(function wait() {
    window.watch.blank === 0 ? resolve() : requestAnimationFrame(wait);
  }));
})`;

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

export const grid = ({ rows, seconds, jumps }: Options): Section => ({
  name: "grid",
  missing: undefined,
  async measure(stack) {
    const server = await startServer();
    stack.defer(() => server.close());
    await server.console.prepare();
    const code = await fill(server, rows);
    const { body: { user } } = await server.request("GET", "/account/me.json", { token: ADMIN_TOKEN });
    const { cookie } = await addSession(server, user.id);
    const [name = "", value = ""] = cookie.split("=");
    const browser = await chromium.launch({
      executablePath: Deno.env.get("TEST_CHROMIUM") ?? "/usr/bin/chromium",
      args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"],
    });
    stack.defer(() => browser.close());
    const base = server.listen();
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    await context.addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${base}/data/${code}/records`);
    await page.getByText(`${rows.toLocaleString("en")} records`).waitFor();
    const scrolled = await watched(page, endToEnd(seconds));
    const jumped: number[] = [];
    for (let i = 1; i <= jumps; i++) jumped.push(await watched(page, jump((i * 0.618) % 1)));
    await watched(page, jump(0.5));
    const read = await watched(page, READ);
    const ms = (value: number) => `${value.toFixed(0)} ms`;
    const aim = (value: number) => `≤${AIM_MS} ${value <= AIM_MS ? "met" : "MISSED"}`;
    const lines = [
      [`end to end in ${seconds} s`, ms(scrolled), aim(scrolled)],
      [`${jumps} jumps, median`, ms(median(jumped)), aim(median(jumped))],
      [`${jumps} jumps, longest`, ms(Math.max(...jumped)), aim(Math.max(...jumped))],
      ["3,000 rows by wheel", ms(read), aim(read)],
    ];
    const title = `a seen row is blank, of ${rows.toLocaleString("en")}`;
    return {
      result: { rows, seconds, scrolled, jumped, read },
      report: layOut([[title, "at most", "aim"], ...lines], 1),
    };
  },
});
