/** People at the console in Chromium: a browser context each, with a session. */
import { ok } from "node:assert/strict";
import type { Browser, Page } from "../packages/playwright.ts";
import { complaintsOf } from "../stage/browser.ts";
import type { TestServer } from "../stage/harness.ts";
import { addSession } from "../stage/people.ts";

/** Long, because the machine may be busy. */
const PATIENCE_MS = 60_000;

export interface Seat {
  page: Page;
  complaints: string[];
  close(): Promise<void>;
}

export async function seat(browser: Browser, options: Parameters<Browser["newContext"]>[0] = {}): Promise<Seat> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  return { page, complaints: complaintsOf(page), close: () => context.close() };
}

/** A seat whose browser has a session of this user. */
export async function seatOf(
  browser: Browser,
  server: TestServer,
  base: string,
  user_id: number,
  options?: Parameters<Browser["newContext"]>[0],
): Promise<Seat> {
  const taken = await seat(browser, options);
  const { cookie } = await addSession(server, user_id);
  const [name = "", value = ""] = cookie.split("=");
  await taken.page.context().addCookies([{ name, value, url: base, httpOnly: true, sameSite: "Lax" }]);
  return taken;
}

export const adminOf = async ({ request }: TestServer): Promise<number> =>
  (await request("GET", "/account/me.json")).body.user.id;

const QUIET_MS = 1_500;

/** A page at rest asks the server at intervals, not in a loop: an answer must not lead to the next request. */
export async function staysQuiet(page: Page): Promise<void> {
  const asked: string[] = [];
  const note = (request: { url(): string }) => void (request.url().includes("/trpc/") && asked.push(request.url()));
  page.on("request", note);
  await page.waitForTimeout(QUIET_MS);
  page.off("request", note);
  ok(asked.length <= 3, asked.join("\n"));
}

/** The preview that is shown, not the one that loads behind it. */
export const preview = (page: Page) => page.frameLocator("iframe[title$=preview]:not([inert])");

/** Replaces the text of the editor, as a person who selects everything and pastes. */
export async function write(page: Page, text: string): Promise<void> {
  await selectText(page);
  await pasteText(page, text);
}

export async function selectText(page: Page): Promise<void> {
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+a");
}

/** Replaces the selected text of the editor, also behind a dialog. */
export const pasteText = (page: Page, text: string): Promise<unknown> =>
  page.evaluate(`(() => {
    const content = document.querySelector(".editor").shadowRoot.querySelector(".cm-content");
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", ${JSON.stringify(text)});
    content.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
  })()`);

export const draftOf = async ({ request }: TestServer, id: string): Promise<string | undefined> =>
  (await request("GET", `/platform/apps/${id}/draft.json`)).body.source_code;
export const sourceOf = async ({ request }: TestServer, id: string): Promise<string> =>
  (await request("GET", `/platform/apps/${id}.json`)).body.source_code;
export const draftSaved = (page: Page) => page.getByText("Draft saved").waitFor();

/** As if another tab came to the front, or this one did. */
export const see = (page: Page, state: "hidden" | "visible") =>
  page.evaluate(`{
    Object.defineProperty(document, "visibilityState", { configurable: true, value: "${state}" });
    document.dispatchEvent(new Event("visibilitychange"));
  }`);
