/** The first names on the wall of the warehouse game. */
import type { Records } from "../records.ts";

const SCORES: [name: string, level: number, moves: number][] = [
  ["Bram", 1, 7],
  ["Lotte", 1, 5],
  ["Kofi", 2, 12],
  ["Lotte", 2, 10],
  ["Bram", 3, 29],
  ["Kofi", 3, 23],
  ["Lotte", 4, 40],
  ["Kofi", 5, 44],
  ["Lotte", 6, 57],
];

export const records: Records = () => ({
  warehouse_scores: SCORES.map(([name, level, moves]) => ({ name, level, moves })),
});
