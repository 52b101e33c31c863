/** Headless Chromium for tests that look at a page as a person does. */
import { type Browser, chromium, type Page } from "playwright-core";

export const executablePath = Deno.env.get("TEST_CHROMIUM");

export const launch = (): Promise<Browser> =>
  chromium.launch({
    executablePath: executablePath ?? "/usr/bin/chromium",
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });

/** Everything the page complains of: console errors, uncaught ones, and requests that failed. */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => complaints.push(`${request.url()} ${request.failure()?.errorText}`));
  return complaints;
}
