/**
 * Runs a command under limits of the kernel, which also hold for each of its children. They are Linux's: other Unix
 * systems apply those that they know; Windows, and images without a shell, apply none.
 */

export interface Bounds {
  /** Limit of a process's writable memory, whether or not it has been written to (RLIMIT_DATA). */
  data_mb: number;
  /** Limit of a process's processor time in seconds. It also ends an endless loop whose server has died. */
  cpu_s: number;
  /** Scheduling priority, from 0 (normal) to 19 (lowest). */
  nice: number;
}

/**
 * Gives the server priority over the command: for processor time (`autogroup`, where enabled, overrides `nice`) and when
 * the machine runs out of memory (`oom_score_adj`). With `--pdeathsig` the command ends when the server dies, even of
 * SIGKILL.
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

/** @returns the command to run instead */
export async function confined(
  command: readonly string[],
  { data_mb, cpu_s, nice }: Bounds,
): Promise<readonly string[]> {
  const has_shell = Deno.build.os !== "windows" && await Deno.stat(SHELL).then(() => true, () => false);
  return has_shell ? [SHELL, "-c", SCRIPT, "sh", ...[data_mb * 1024, cpu_s, nice].map(String), ...command] : command;
}
