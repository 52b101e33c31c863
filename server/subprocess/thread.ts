/**
 * A thread in place of a subprocess, where none can be started. It has no permissions but those given. A loop in it cannot
 * be ended with certainty, and no limit of the kernel holds for it alone.
 */
import { Lost, type Reason, type Subprocess } from "./subprocess.ts";

export interface ThreadOptions {
  module: URL;
  permissions: Deno.PermissionOptionsObject;
  /** How much the memory of this process may grow while a line is awaited. */
  memory_mb: number;
  /** Is called when the thread was stopped at work: it may go on until the process ends. */
  runaway(reason: string): void;
}

const POLL_MS = 25;
const MB = 1024 * 1024;

export function startThread({ module, permissions, memory_mb, runaway }: ThreadOptions): Subprocess {
  const worker = new Worker(module, { type: "module", deno: { permissions } });
  const { port1: port, port2 } = new MessageChannel();
  const lines: string[] = [];
  const end = Promise.withResolvers<void>();
  let lost: Lost | undefined;
  /** Of the pending `next`. */
  let wake: (() => void) | undefined;

  /** @param last_words of a thread that has ended by itself */
  function lose(reason: Reason, last_words?: string): void {
    if (lost) return;
    lost = new Lost(reason, last_words);
    worker.terminate();
    port.close();
    if (wake && !last_words) runaway(`a thread was stopped: ${reason}`);
    wake?.();
    end.resolve();
  }

  port.onmessage = ({ data }) => {
    lines.push(String(data));
    wake?.();
  };
  worker.onerror = (event) => {
    event.preventDefault();
    lose("ended", event.message);
  };
  worker.postMessage("", [port2]);

  return {
    send: (line) => port.postMessage(line),
    async next(limit_ms) {
      const before = Deno.memoryUsage().rss;
      const deadline = performance.now() + limit_ms;
      const timer = setInterval(() => {
        if (performance.now() > deadline) lose("timeout");
        else if (Deno.memoryUsage().rss - before > memory_mb * MB) lose("memory");
      }, POLL_MS);
      try {
        while (lines.length === 0 && !lost) await new Promise<void>((resolve) => wake = resolve);
      } finally {
        clearInterval(timer);
        wake = undefined;
      }
      const line = lines.shift();
      if (line === undefined) throw lost;
      return line;
    },
    kill: (reason = "ended") => lose(reason),
    ended: end.promise,
    pid: Deno.pid,
  };
}
