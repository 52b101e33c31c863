import type { Load } from "./load.ts";

/** What one subject did in the rounds of one work. */
export interface Row {
  work: string;
  subject: string;
  rounds: Load[];
}

/** Minimum and maximum over the rounds. */
export type Range = [minimum: number, maximum: number];

/** A row's medians. */
export interface Summary extends Load {
  work: string;
  subject: string;
  per_second_range: Range;
  /** Our requests per second divided by this subject's: the median of the rounds' ratios. Absent for ours. */
  ratio?: number;
  ratio_range?: Range;
  aim?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? NaN : (upper + lower) / 2;
}

const rangeOf = (values: readonly number[]): Range => [Math.min(...values), Math.max(...values)];

/**
 * Summarizes a row.
 *
 * @param ours our rounds, which took turns with these: each ratio is that of two neighbours, which the same disturbances
 * of the machine met
 */
export function summarize({ work, subject, rounds }: Row, ours?: readonly Load[], aim?: number): Summary {
  const valuesOf = (key: keyof Load) => rounds.map((round) => round[key]);
  const ratios = ours?.map((round, index) => round.per_second / (rounds[index]?.per_second ?? NaN));
  return {
    work,
    subject,
    per_second: median(valuesOf("per_second")),
    per_second_range: rangeOf(valuesOf("per_second")),
    p50_ms: median(valuesOf("p50_ms")),
    p99_ms: median(valuesOf("p99_ms")),
    cpu_us: median(valuesOf("cpu_us")),
    ...ratios ? { ratio: median(ratios), ratio_range: rangeOf(ratios) } : {},
    ...aim === undefined ? {} : { aim },
  };
}

/** Columns as wide as their widest cell; the first `left` columns begin at the left, the others end at the right. */
export function layOut(rows: readonly string[][], left: number): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) =>
    row.map((cell, column) => {
      const width = widths[column] ?? 0;
      return column < left ? cell.padEnd(width) : cell.padStart(width);
    }).join("  ").trimEnd();
  return rows.map(line).join("\n");
}

function verdict({ ratio, aim }: Summary): string {
  if (ratio === undefined || aim === undefined) return "";
  return ratio >= aim ? `≥${aim.toFixed(2)} met` : `≥${aim.toFixed(2)} MISSED`;
}

const HEAD = ["work", "subject", "req/s", "min", "max", "p50 ms", "p99 ms", "CPU µs", "ours ÷ it", "min", "max", "aim"];

/** The table that the bench prints. */
export function ratioTable(summaries: readonly Summary[]): string {
  const rows = summaries.map((summary, index) => [
    summaries[index - 1]?.work === summary.work ? "" : summary.work,
    summary.subject,
    ...[summary.per_second, ...summary.per_second_range].map((value) => value.toFixed(0)),
    ...[summary.p50_ms, summary.p99_ms].map((value) => value.toFixed(1)),
    summary.cpu_us.toFixed(0),
    ...[summary.ratio, ...summary.ratio_range ?? [undefined, undefined]].map((value) => value?.toFixed(2) ?? ""),
    verdict(summary),
  ]);
  return layOut([HEAD, ...rows], 2);
}
