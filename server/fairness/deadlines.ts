/**
 * Deadlines that hardly ever come. A timer of the runtime takes 5 to 10 µs to make and to clear, and a run has four.
 * Deadlines that are equally far away come in the order in which they were set, so one timer looks after all of them.
 */
import { createLine, type Line } from "./in_flight.ts";

interface Waiting {
  /** By the monotonic clock. */
  until: number;
  late(): void;
}

/** Those that were set for the same time ahead, in the order of their ends. It has a timer while it is not empty. */
interface Queue {
  line: Line<Waiting>;
  timer: ReturnType<typeof setTimeout> | undefined;
}

const queues = new Map<number, Queue>();

/**
 * Calls `late` after some time, unless the deadline is taken back before. One of whole seconds keeps no process alive.
 *
 * @param ms whole seconds are cheap; any other time gets a timer of its own, as there may be thousands of different ones
 * @returns takes the deadline back
 */
export function setDeadline(ms: number, late: () => void): () => void {
  if (ms <= 0 || ms % 1_000 !== 0) {
    const timer = setTimeout(late, ms);
    return () => clearTimeout(timer);
  }
  const queue = queues.get(ms) ?? newQueue(ms);
  const remove = queue.line.add({ until: performance.now() + ms, late });
  return () => {
    remove();
    if (!queue.line.first) end(ms, queue);
  };
}

function newQueue(ms: number): Queue {
  const queue: Queue = { line: createLine(), timer: undefined };
  queues.set(ms, queue);
  lookAfter(ms, queue, ms);
  return queue;
}

function end(ms: number, queue: Queue): void {
  clearTimeout(queue.timer);
  if (queues.get(ms) === queue) queues.delete(ms);
}

function lookAfter(ms: number, queue: Queue, pause_ms: number): void {
  queue.timer = setTimeout(() => {
    endDue(queue.line);
    const next = queue.line.first;
    if (next) lookAfter(ms, queue, Math.ceil(next.until - performance.now()));
    else end(ms, queue);
  }, pause_ms);
  Deno.unrefTimer(queue.timer);
}

function endDue(line: Line<Waiting>): void {
  const now = performance.now();
  for (let next = line.first; next && next.until <= now; next = line.first) {
    line.removeFirst();
    next.late();
  }
}
