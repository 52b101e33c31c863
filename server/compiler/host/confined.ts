/**
 * A command that the kernel bounds, and its children each for themselves. Everything here is Linux's; other systems do
 * what they know of it, and Windows, like an image without a shell, nothing.
 */

export interface Bounds {
  /** What a process may hold of its own: memory that it could write to, whether or not it has. */
  data_mb: number;
  /** After so many seconds of processor time a process ends: one in an endless loop, whose server is gone, too. */
  cpu_s: number;
  /** From 0 to 19, the more patient the higher. */
  nice: number;
}

/**
 * The server comes first: for processor time (`autogroup`, where that is on, counts instead of `nice`), and when the
 * machine's memory runs out (`oom_score_adj`). `--pdeathsig`: what it started ends with it, even after SIGKILL.
 */
const SCRIPT = `
{
  ulimit -d "$1"
  ulimit -t "$2"
  ulimit -c 0
  echo 800 >/proc/self/oom_score_adj
  echo "$3" >/proc/self/autogroup
  nice=$3
  shift 3
  command -v nice && set -- nice -n "$nice" "$@"
  setpriv --pdeathsig KILL true && set -- setpriv --pdeathsig KILL "$@"
} >/dev/null 2>&1
exec "$@"
`;

const SHELL = "/bin/sh";

/** @returns what to run in its place */
export async function confined(
  command: readonly string[],
  { data_mb, cpu_s, nice }: Bounds,
): Promise<readonly string[]> {
  const has_shell = Deno.build.os !== "windows" && await Deno.stat(SHELL).then(() => true, () => false);
  return has_shell ? [SHELL, "-c", SCRIPT, "sh", ...[data_mb * 1024, cpu_s, nice].map(String), ...command] : command;
}
