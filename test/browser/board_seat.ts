/** A person with a board of four tiles, for the tests of boards in a browser. */
import { equal } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import type { TestServer } from "../stage/harness.ts";
import { addPerson, made } from "../stage/people.ts";
import { type Seat, seatOf } from "./seats.ts";

export interface Stage {
  browser: Browser;
  server: TestServer;
  base: string;
}

/** Of its apps. */
export const NAMES = ["Alpha", "Beta", "Gamma", "Delta"];

export interface StoredTile {
  title: string;
  x: number;
  y: number;
  w: number;
  h: number;
}

/** The page of a person, and its board as the server has it. */
export interface Board extends Seat {
  /** The tiles that the server has: the name and the place of each, row by row. */
  stored(): Promise<string>;
  ids: Record<string, string>;
  put(tiles: unknown[]): Promise<void>;
}

/** @returns its id */
export const addApp = async ({ request }: TestServer, name: string, dashboard_widget = true): Promise<string> => {
  const app = { name, app_engine: "html", css_engine: "none", source_code: `<p>${name}`, dashboard_widget };
  return made(await request("POST", "/platform/apps.json", { json: { app } })).id;
};

/** A person of a new board of four tiles, two in a row. */
export async function sit(
  { browser, server, base }: Stage,
  role: "user" | "manager" | "admin" = "user",
  options = {},
): Promise<Board> {
  const entries: [string, string][] = [];
  for (const name of NAMES) entries.push([name, await addApp(server, name)]);
  const ids = Object.fromEntries(entries);
  const { id: user_id, token } = await addPerson(server.request, role);
  const tiles = NAMES.map((name, i) => ({ app_id: ids[name], x: i % 2 * 6, y: i < 2 ? 0 : 4, w: 6, h: 4 }));
  const path = "/account/dashboard.json";
  const put = async (tiles: unknown[]) =>
    equal((await server.request("PUT", path, { token, json: { dashboard: { tiles } } })).status, 200);
  await put(tiles);
  const taken = await seatOf(browser, server, base, user_id, options);
  const stored = async () => {
    const { body } = await server.request("GET", path, { token });
    const tiles: StoredTile[] = body.tiles;
    return tiles.toSorted((a, b) => a.y - b.y || a.x - b.x)
      .map(({ title, x, y, w, h }) => `${title} ${x} ${y} ${w} ${h}`).join(", ");
  };
  await taken.page.goto(base);
  await grip(taken.page, "Alpha").or(taken.page.getByRole("heading", { name: "Alpha" })).waitFor();
  return { ...taken, stored, ids, put };
}

/** What a tile is moved by. */
export const grip = (page: Page, name: string) => page.getByRole("button", { name: `${name}: arrow keys` });
