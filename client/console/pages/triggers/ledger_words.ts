/** What the ledger says of a trigger by its kind: only schedules have due times, which can be late or missed. */
type Kind = "flow" | "webhook" | "record";
export type Look = "none" | "ran" | "some" | "late" | "failed" | "missed";

const OF_SCHEDULES: Record<Look, string> = {
  none: "not due",
  ran: "all ran",
  some: "some skipped",
  late: "some late",
  failed: "some failed",
  missed: "missed",
};

/** The legend of the days. */
export function looksOf(kind: Kind): Partial<Record<Look, string>> {
  if (kind === "flow") return OF_SCHEDULES;
  const { ran, some, failed } = OF_SCHEDULES;
  return { none: kind === "webhook" ? "no delivery" : "no event", ran, some, failed };
}

export interface Total {
  due: number;
  ran: number;
  late: number;
  skipped: number;
  missed: number;
}

const PERCENT = new Intl.NumberFormat(undefined, { style: "percent", maximumFractionDigits: 1 });
const part = (count: number, { due }: Total) => due === 0 ? "—" : PERCENT.format(count / due);

/** Figures of the last 90 days beside their number. */
export function figuresOf(kind: Kind, total: Total): [name: string, text: string][] {
  const { ran, late, skipped, missed } = total;
  if (kind !== "flow") return [["Started a run", part(ran + late, total)], ["Skipped", skipped.toLocaleString()]];
  return [
    ["Ran on time", part(ran, total)],
    ["Late, skipped, missed", [late, skipped, missed].map((count) => count.toLocaleString()).join(", ")],
  ];
}

/** Instead of an empty list. */
export function nothing(kind: Kind, { irregular, of_day }: { irregular: boolean; of_day: boolean }): string {
  if (irregular) return kind === "flow" ? "Everything ran on time." : "Everything that came has started a run.";
  if (of_day) return kind === "flow" ? "It was not due on this day." : "Nothing came on this day.";
  return kind === "flow" ? "It has not been due yet." : "Nothing has come yet.";
}
