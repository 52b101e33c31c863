/**
 * The connection to the server. While it does not answer, the console says so and asks until it is back. When the
 * session has ended, requests wait until the person has signed in again, and are then sent anew.
 */

/** Milliseconds between two questions whether the server is back. */
const FIRST_PAUSE_MS = 1_000;
const LAST_PAUSE_MS = 5_000;
/** How often a visible page reads its data again. */
const REFRESH_MS = 30_000;

let reachable = $state(true);
let expired = $state(false);
let waiting: PromiseWithResolvers<void> | undefined;
let sign_ins = 0;
const revisits = new Set<() => unknown>();

export const connection = {
  get reachable() {
    return reachable;
  },
  /** Whether the session has ended: the sign-in dialog is shown. */
  get expired() {
    return expired;
  },
};

/** A request with the session's cookie. It waits for a new session where the present one has ended. */
export async function sessionFetch(input: URL | RequestInfo, init?: RequestInit): Promise<Response> {
  for (;;) {
    const known_sign_ins = sign_ins;
    let response;
    try {
      response = await fetch(input, { ...init, credentials: "same-origin" });
    } catch (error) {
      if (!init?.signal?.aborted) lost();
      throw error;
    }
    if (!reachable) found();
    if (response.status !== 401) return response;
    // The person has signed in while this request was on its way without a session.
    if (known_sign_ins !== sign_ins) continue;
    expired = true;
    waiting ??= Promise.withResolvers();
    await waiting.promise;
  }
}

/** Call after a sign-in: the requests that wait are sent again. */
export function signedInAgain(): void {
  sign_ins++;
  expired = false;
  waiting?.resolve();
  waiting = undefined;
}

function lost(): void {
  if (!reachable) return;
  reachable = false;
  void ask(FIRST_PAUSE_MS);
}

async function ask(pause: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, pause));
  if (reachable) return;
  if (await answers()) found();
  else await ask(Math.min(pause * 2, LAST_PAUSE_MS));
}

const answers = () => fetch("/healthz", { cache: "no-store" }).then(({ ok }) => ok, () => false);

/** Call after a file that needs no session could not be loaded: the cause may be that the server does not answer. */
export async function fileFailed(): Promise<void> {
  if (!await answers()) lost();
}

/**
 * Waits before a request is sent again that was not answered: until the server is back, or the pause is over where it
 * answers others.
 */
export async function beforeRepeating(pause: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, pause));
  if (reachable) return;
  const back = Promise.withResolvers<void>();
  revisits.add(back.resolve);
  await back.promise;
  revisits.delete(back.resolve);
}

function found(): void {
  reachable = true;
  for (const revisit of revisits) revisit();
}

addEventListener("offline", lost);
addEventListener("online", () => void ask(0));

let seen_at = Date.now();

function refresh(): void {
  if (document.visibilityState !== "visible" || !reachable || expired || Date.now() - seen_at < REFRESH_MS / 2) return;
  seen_at = Date.now();
  for (const revisit of revisits) revisit();
}

document.addEventListener("visibilitychange", refresh);
setInterval(refresh, REFRESH_MS);

/**
 * Calls `read` when what the page shows may have changed: the person comes back to the tab, the server is back, or some
 * time has passed. Called in a component's setup.
 */
export function onRevisit(read: () => unknown): void {
  $effect(() => {
    revisits.add(read);
    return () => revisits.delete(read);
  });
}
