/** What `deno task screenshots` knows of a page of the console. */
import type { Page } from "../packages/playwright.ts";

export interface Screen {
  /** Of its files. */
  name: string;
  /** Its address, perhaps of something that the API lists; empty if it has none. */
  path: (page: Page, url: string) => string | Promise<string>;
  /** The states of the account that have it: small and full unless given. */
  states?: readonly ("empty" | "small" | "full")[];
  /** What a person does before the picture is taken. */
  prepare?: (page: Page) => Promise<void>;
  /** What a person does after it, where the next picture would show it otherwise. */
  leave?: (page: Page) => Promise<void>;
  /** Seen without a session. */
  signed_out?: true;
}

export const at = (path: string) => () => path;

/** The address of the first item of a list of the API. */
export const first =
  (list: string, address: (id: string) => string) => async (page: Page, url: string): Promise<string> => {
    const headers = { "sec-fetch-site": "same-origin" };
    const [item] = await (await page.context().request.get(url + list, { headers })).json();
    return item ? address(item.id) : "";
  };

export const ALL = ["empty", "small", "full"] as const;
