import type { Load } from "./load.ts";

/** What one subject did in the rounds of one work. */
export interface Row {
  work: string;
  subject: string;
  rounds: Load[];
}

/** One row, summed up. */
export interface Summary extends Load {
  work: string;
  subject: string;
  /** Ours in parts of this subject, the median of the rounds' own ratios; absent for ours. */
  ratio?: number;
  aim?: number;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? NaN : (upper + lower) / 2;
}

/**
 * Medians of a row's rounds.
 *
 * @param ours the rounds that took turns with these: what disturbs the machine disturbs neighbours alike, so each round
 * is compared with its own neighbour
 */
export function summarize({ work, subject, rounds }: Row, ours?: readonly Load[], aim?: number): Summary {
  const of = (key: keyof Load) => median(rounds.map((round) => round[key]));
  const ratios = ours?.map((round, index) => round.per_second / (rounds[index]?.per_second ?? NaN));
  return {
    work,
    subject,
    per_second: of("per_second"),
    p50_ms: of("p50_ms"),
    p99_ms: of("p99_ms"),
    ...ratios ? { ratio: median(ratios) } : {},
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

/** The table that the bench prints. */
export function ratioTable(summaries: readonly Summary[]): string {
  const head = ["work", "subject", "req/s", "p50 ms", "p99 ms", "ours ÷ it", "aim"];
  const rows = summaries.map((summary, index) => [
    summaries[index - 1]?.work === summary.work ? "" : summary.work,
    summary.subject,
    summary.per_second.toFixed(0),
    summary.p50_ms.toFixed(1),
    summary.p99_ms.toFixed(1),
    summary.ratio?.toFixed(2) ?? "",
    verdict(summary),
  ]);
  return layOut([head, ...rows], 2);
}
