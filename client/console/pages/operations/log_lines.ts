/** Lines of the server's log, as they are shown. */

export interface LogLine {
  time: string;
  level: "info" | "warn" | "error";
  event: string;
  request_id: string | null;
  detail: Record<string, unknown>;
  process: { number: number; pid: number };
}

/** Lines that are shown; older ones are dropped. */
const MOST = 500;

/** The newest first. Lines of several processes arrive in batches, so they are put in their order. */
export const withLines = (shown: readonly LogLine[], arrived: readonly LogLine[]): LogLine[] =>
  [...arrived.toReversed(), ...shown].toSorted((a, b) => (a.time < b.time ? 1 : a.time > b.time ? -1 : 0)).slice(
    0,
    MOST,
  );

/** What a line says, in a few words: `GET /apps 200, 12 ms`. */
export function summary({ event, detail }: LogLine): string {
  const { method, route, status, ms } = detail;
  if (event === "request") return `${method} ${route} ${status}, ${ms} ms`;
  const said = detail.fault ?? detail.reason ?? detail.message;
  return typeof said === "string" ? `${event}: ${said}` : event;
}
