/** What Linux knows of a process. */

/**
 * A file of `/proc/<pid>`. By `cat`, because Deno itself reads nothing in `/proc` unless it may do everything.
 *
 * @returns empty where the process has ended, and where there is no `/proc` or no `cat`
 */
export async function readProc(pid: number, file: "stat" | "schedstat"): Promise<string> {
  try {
    const { stdout } = await new Deno.Command("cat", { args: [`/proc/${pid}/${file}`], stderr: "null" }).output();
    return new TextDecoder().decode(stdout);
  } catch {
    // Callers do without it: not every host starts processes.
    return "";
  }
}
