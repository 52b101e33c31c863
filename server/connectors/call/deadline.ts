/** The time limit of a call. */
import { setDeadline } from "../../fairness/deadlines.ts";
import type { ConnectorCall } from "./call.ts";
import { ConnectorFault } from "./fault.ts";

export interface Deadline {
  /** Aborts at the time limit or with the caller's signal. The reason is a `ConnectorFault`. */
  signal: AbortSignal;
  /** It is the call's turn. */
  begin(): void;
  clear(): void;
}

/** The time counts from now on; from the call's turn if the call wants to know of it. */
export function createDeadline(
  { timeout_ms, begins, signal }: Pick<ConnectorCall, "timeout_ms" | "begins" | "signal">,
): Deadline {
  const controller = new AbortController();
  const expire = () =>
    controller.abort(new ConnectorFault("timeout", `there was no whole answer within ${timeout_ms / 1000} s`));
  const cancel = () => controller.abort(new ConnectorFault("cancelled", "the call was cancelled"));
  let takeBack: (() => void) | undefined;
  const start = () => takeBack ??= setDeadline(timeout_ms, expire);
  if (!begins) start();
  if (signal?.aborted) cancel();
  signal?.addEventListener("abort", cancel);
  return {
    signal: controller.signal,
    begin() {
      start();
      begins?.();
    },
    clear() {
      takeBack?.();
      signal?.removeEventListener("abort", cancel);
    },
  };
}
