/** The folders of PATH, then common folders that a minimal PATH (cron, CI) lacks. */
function folders(): string[] {
  return [...(Deno.env.get("PATH") ?? "").split(":").filter(Boolean), "/usr/local/bin", "/usr/bin", "/usr/sbin"];
}

function isExecutable(path: string): boolean {
  try {
    const { isFile, mode } = Deno.statSync(path);
    return isFile && ((mode ?? 0) & 0o111) !== 0;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory) return false;
    throw error;
  }
}

/** The full path of the first of `names` that is installed. A name may be an absolute path. */
export function findProgram(...names: string[]): string | undefined {
  const paths = names.flatMap((name) => name.startsWith("/") ? [name] : folders().map((folder) => `${folder}/${name}`));
  return paths.find(isExecutable);
}

/** The one without windows comes first: it needs less CPU time. */
const BROWSERS = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome-stable",
  "google-chrome",
];

/** Chromium or Chrome for the browser tests. If the variable CHROMIUM is set, only that path is used. */
export function findChromium(): string | undefined {
  const named = Deno.env.get("CHROMIUM");
  return findProgram(...(named ? [named] : BROWSERS));
}
