/** The health of a connector in words. */
import type { Client } from "../../../mod.ts";
import type { IconName } from "../../parts/icons.ts";

export type Health = Awaited<ReturnType<Client["connectors"]["health"]["find"]["query"]>>;

export interface State {
  words: string;
  kind: "ok" | "warn" | "bad" | "faint";
  icon: IconName;
}

/** Failing: in the last hour with calls, all failed. */
export function stateOf({ calls, failures, total }: Health): State {
  if (total.calls === 0) return { words: "No calls", kind: "faint", icon: "circle-dashed" };
  if (total.failures === 0) return { words: "Healthy", kind: "ok", icon: "circle-check" };
  const last = calls.findLastIndex((count) => count > 0);
  if (failures[last] === calls[last]) return { words: "Failing", kind: "bad", icon: "circle-x" };
  return { words: `${rateOf(total)} failed`, kind: "warn", icon: "triangle-alert" };
}

/** `1.4 %`; never 0, where there was a failure. */
export const rateOf = ({ calls, failures }: Health["total"]): string =>
  `${Math.max(0.1, (100 * failures) / calls).toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;

export const spanOf = (hours: number): string =>
  hours % 24 === 0 && hours > 24 ? `${hours / 24} days` : `${hours} hours`;

/** `84 ms`, `1.2 s` */
export const duration = (ms: number): string =>
  ms < 1000
    ? `${Math.round(ms).toLocaleString()} ms`
    : `${(ms / 1000).toLocaleString(undefined, { maximumFractionDigits: ms < 10_000 ? 1 : 0 })} s`;

/** The begin of an hour. @param index from the first hour on */
export const hourOf = ({ first_hour }: Health, index: number): Date =>
  new Date(Date.parse(first_hour) + index * 3_600_000);
