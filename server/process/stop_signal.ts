/** The signals that stop a process: SIGTERM by hosts and service managers, SIGINT by Ctrl+C. */

/** Calls `stop` on SIGTERM and SIGINT. @returns ends that */
export function onStopSignal(stop: (signal: string) => void): () => void {
  const listeners = (["SIGTERM", "SIGINT"] as const)
    .filter((signal) => Deno.build.os !== "windows" || signal !== "SIGTERM")
    .map((signal) => ({ signal, listen: () => stop(signal) }));
  for (const { signal, listen } of listeners) Deno.addSignalListener(signal, listen);
  return () => {
    for (const { signal, listen } of listeners) Deno.removeSignalListener(signal, listen);
  };
}
