/** Tests in headless Chromium. They alone are retried once, because Chromium stalls on a busy machine. */
import { AXE } from "../packages/axe.ts";
import { type Browser, chromium, type Page } from "../packages/playwright.ts";
import { print } from "./print.ts";

const executablePath = Deno.env.get("TEST_CHROMIUM");

export interface BrowserStage {
  browser: Browser;
  /** A step of the test. It must not depend on what an earlier attempt at it left behind. */
  step(name: string, work: () => Promise<void>): Promise<void>;
}

/** Chromium is a process with pipes that outlive a step, and steps may run side by side. */
const NO_SANITIZERS = { sanitizeOps: false, sanitizeResources: false, sanitizeExit: false };

/**
 * Registers a test that runs in Chromium, or is skipped on a machine without it. A failed step is retried once, and so
 * is `work` as a whole if it fails before its first step.
 */
export function browserTest(name: string, work: (stage: BrowserStage) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !executablePath,
    ...NO_SANITIZERS,
    async fn(t) {
      let steps = 0;
      const attempt = async () => {
        const browser = await launch();
        try {
          await work({
            browser,
            async step(title, work) {
              steps++;
              await t.step({ name: title, ...NO_SANITIZERS, fn: () => retryOnce(`${name}: ${title}`, work) });
            },
          });
        } finally {
          await browser.close();
        }
      };
      await retryOnce(name, attempt, () => steps === 0);
    },
  });
}

/** Tries again after a failure, and names the test on the console and at the end of the run (`TEST_RETRIES`). */
async function retryOnce(name: string, attempt: () => Promise<void>, may = () => true): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    if (!may()) throw error;
    const line = name.replaceAll("\n", " ");
    print(`retried: ${line}: ${error}`);
    const list = Deno.env.get("TEST_RETRIES");
    if (list) await Deno.writeTextFile(list, `${line}\n`, { append: true });
    await attempt();
  }
}

const launch = (): Promise<Browser> =>
  chromium.launch({
    ...(executablePath && { executablePath }),
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

/**
 * Collects the page's console errors, uncaught errors and failed requests. A missing favicon is no complaint, nor is a
 * `fetch` that the next page's load has ended; a document that was not loaded to its end is one.
 */
export function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !message.location().url.endsWith("/favicon.ico")) complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("requestfailed", (request) => {
    const error = request.failure()?.errorText;
    if (error !== "net::ERR_ABORTED" || request.isNavigationRequest()) complaints.push(`${request.url()} ${error}`);
  });
  return complaints;
}

/** Without what only reports of other results need. */
const AXE_OPTIONS = { iframes: false, resultTypes: ["violations"], selectors: false };

/** The barriers of a page that axe finds, one line for each: the rule and the beginning of the element. */
export async function barriersOf(page: Page): Promise<string[]> {
  if (!await page.evaluate("'axe' in globalThis")) await page.evaluate(AXE);
  return await page.evaluate<string[]>(
    `axe.run(document, ${JSON.stringify(AXE_OPTIONS)}).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 160))))`,
  );
}
