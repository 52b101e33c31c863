/** The folders of PATH, then the places where programs stand that a bare PATH (cron, CI) leaves out. */
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

/** The full path of the first of `names` that this machine has; an absolute name is looked at as it is. */
export function findProgram(...names: string[]): string | undefined {
  const paths = names.flatMap((name) => name.startsWith("/") ? [name] : folders().map((folder) => `${folder}/${name}`));
  return paths.find(isExecutable);
}

const BROWSERS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** Chromium, or Chrome, for the browser tests. The variable CHROMIUM names the one to take, and then no other will do. */
export function findChromium(): string | undefined {
  const named = Deno.env.get("CHROMIUM");
  return findProgram(...(named ? [named] : BROWSERS));
}
