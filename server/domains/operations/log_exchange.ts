/**
 * The lines of the logs of all processes that share the database. Each process has its own in memory. A process that
 * wants those of its peers asks them with a notification of PostgreSQL, and they answer with others, until it stops
 * asking.
 */
import type { Pool } from "../../database/pool.ts";
import { faultOf, type Log, type LogFilter, matching } from "../../log.ts";
import { PeerAnswer, PeerQuestion, type ProcessLine, type ProcessName } from "./log_schema.ts";

/** How many of the latest lines a process sends first. */
const NEWEST = 500;
const NEWEST_OF_PEERS = 200;
const ASK_EVERY_MS = 10_000;
/** A peer that is not asked again for so long sends nothing more. */
const ASKED_MS = 25_000;
const SEND_EVERY_MS = 250;
/** PostgreSQL takes less than 8,000 bytes. */
const PAYLOAD_BYTES = 7_600;
const LONGEST_LINE = 4_000;
/** Notifications at once; older lines are left out. */
const MOST_PAYLOADS = 20;
const MOST_FOLLOWERS = 20;
const [QUESTIONS, ANSWERS] = ["log_wanted", "log_lines"];

type OnLines = (lines: ProcessLine[], left_out: number) => void;

export interface LogExchange {
  readonly process: ProcessName;
  /** The latest lines that match, then further ones. @returns ends it */
  follow(filter: LogFilter, onLines: OnLines): () => void;
  close(): Promise<void>;
}

interface Parts {
  sql: Pool;
  log: Log;
  process: ProcessName;
  /** Whether the database has no other processes. */
  alone: boolean;
}

/** What a peer wants. */
interface Wanted {
  filter: LogFilter;
  until: number;
  unsent: ProcessLine[];
}

export function createLogExchange({ sql, log, process, alone }: Parts): LogExchange {
  const own_id = crypto.randomUUID();
  const followers = new Map<string, OnLines>();
  const wanted = new Map<string, Wanted>();
  const named = <Line>(line: Line) => ({ ...line, process });
  let unwatch: (() => void) | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;
  /** A failure is logged once: a line for each would be sent, and fail, again. */
  let failed = false;

  const notify = async (channel: string, payload: unknown) => {
    try {
      await sql`select pg_notify(${channel}, ${JSON.stringify(payload)})`;
      failed = false;
    } catch (error) {
      if (!failed) log.warn("log lines were not exchanged", faultOf(error));
      failed = true;
    }
  };

  const send = async () => {
    for (const [follower, { until, unsent }] of wanted) {
      if (until < performance.now()) wanted.delete(follower);
      const lines = unsent.splice(0);
      if (lines.length === 0) continue;
      const { payloads, left_out } = inPayloads(lines);
      for (const [index, batch] of payloads.entries()) {
        await notify(ANSWERS, { follower, lines: batch, left_out: index === 0 ? left_out : 0 });
      }
    }
    if (wanted.size > 0) return;
    unwatch?.();
    clearInterval(timer);
    unwatch = timer = undefined;
  };

  const asked = (payload: string) => {
    const { from, follower, filter } = PeerQuestion.parse(JSON.parse(payload));
    if (from === own_id) return;
    const until = performance.now() + ASKED_MS;
    const known = wanted.get(follower);
    if (known) return void (known.until = until);
    if (wanted.size >= MOST_FOLLOWERS) return;
    wanted.set(follower, { filter, until, unsent: log.recent.newest(filter, NEWEST_OF_PEERS).map(named) });
    unwatch ??= log.recent.watch((text) => {
      for (const { filter, unsent } of wanted.values()) {
        const line = matching(text, filter);
        if (line) unsent.push(named(line));
        if (unsent.length > 2 * NEWEST_OF_PEERS) unsent.splice(0, NEWEST_OF_PEERS);
      }
    });
    let sending = false;
    timer ??= setInterval(() => {
      if (sending) return;
      sending = true;
      void send().finally(() => sending = false);
    }, SEND_EVERY_MS);
  };

  const answered = (payload: string) => {
    const { follower, lines, left_out } = PeerAnswer.parse(JSON.parse(payload));
    followers.get(follower)?.(lines, left_out);
  };

  const listening = alone ? undefined : Promise.all([sql.listen(QUESTIONS, asked), sql.listen(ANSWERS, answered)])
    .catch((error) => void log.warn("log lines of other processes are not received", faultOf(error)));

  return {
    process,
    follow(filter, onLines) {
      onLines(log.recent.newest(filter, NEWEST).map(named), 0);
      const end = log.recent.watch((text) => {
        const line = matching(text, filter);
        if (line) onLines([named(line)], 0);
      });
      if (alone) return end;
      const follower = crypto.randomUUID();
      followers.set(follower, onLines);
      const ask = async () => {
        await listening;
        await notify(QUESTIONS, { from: own_id, follower, filter });
      };
      void ask();
      const asking = setInterval(() => void ask(), ASK_EVERY_MS);
      return () => {
        end();
        clearInterval(asking);
        followers.delete(follower);
      };
    },
    async close() {
      wanted.clear();
      unwatch?.();
      clearInterval(timer);
      await Promise.all((await listening ?? []).map(({ unlisten }) => unlisten().catch(() => {})));
    },
  };
}

const bytesOf = (line: ProcessLine) => new TextEncoder().encode(JSON.stringify(line)).length;

/** The newest lines, as many as fit into the payloads. */
export function inPayloads(lines: readonly ProcessLine[]): { payloads: ProcessLine[][]; left_out: number } {
  const payloads: ProcessLine[][] = [];
  let [left, left_out] = [0, 0];
  for (const [index, line] of lines.toReversed().entries()) {
    const fitting = fitted(line);
    const bytes = bytesOf(fitting) + 1;
    if (bytes > left) {
      if (payloads.length === MOST_PAYLOADS) {
        left_out = lines.length - index;
        break;
      }
      payloads.unshift([]);
      left = PAYLOAD_BYTES - 200;
    }
    left -= bytes;
    payloads[0]?.unshift(fitting);
  }
  return { payloads, left_out };
}

/** The line, cut if its text is too long for a notification. */
function fitted(line: ProcessLine): ProcessLine {
  if (bytesOf(line) <= LONGEST_LINE) return line;
  const cut = JSON.stringify(line.detail).slice(0, LONGEST_LINE / 8);
  return { ...line, event: line.event.slice(0, 100), detail: { cut } };
}
