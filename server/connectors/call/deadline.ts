/** The time limit of a call. */
import type { ConnectorCall } from "./call.ts";
import { ConnectorFault } from "./fault.ts";

export interface Deadline {
  /** Aborts at the time limit or with the caller's signal. The reason is a `ConnectorFault`. */
  signal: AbortSignal;
  clear(): void;
}

/** The time that the call waits for its turn counts. */
export function startDeadline({ timeout_ms, signal }: Pick<ConnectorCall, "timeout_ms" | "signal">): Deadline {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new ConnectorFault("timeout", `there was no whole answer within ${timeout_ms / 1000} s`));
  const cancel = () => controller.abort(new ConnectorFault("cancelled", "the call was cancelled"));
  const timer = setTimeout(expire, timeout_ms);
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel);
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer);
      signal?.removeEventListener("abort", cancel);
    },
  };
}
