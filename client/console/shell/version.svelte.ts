/** Whether the server now serves another build of the console than this page has loaded. */

const ASK_MS = 120_000;

let is_new = $state(false);

export const version = {
  get is_new() {
    return is_new;
  },
};

/** Named after its content. */
const own = document.querySelector<HTMLScriptElement>('script[src^="/console/main-"]')?.getAttribute("src");

async function ask(): Promise<void> {
  if (document.visibilityState !== "visible" || is_new || !own) return;
  const page = await fetch("/", { cache: "no-cache", credentials: "same-origin" }).then(
    (answer) => answer.ok && !answer.redirected ? answer.text() : "",
    () => "",
  );
  is_new = page.includes("/console/main-") && !page.includes(own);
}

setInterval(ask, ASK_MS);
document.addEventListener("visibilitychange", ask);
