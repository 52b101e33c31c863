/** How often apps were opened. */
import { z } from "zod";
import { text, Uuid } from "../../../input/shapes.ts";

/** Days that answers have, today included. */
export const DAYS = 14;
const MOST_APPS = 200;

export const Openings = z.object({
  app_id: Uuid,
  first_day: z.iso.date().describe(`The first of the last ${DAYS} days, in UTC`).meta({ examples: ["2026-11-09"] }),
  counts: z.array(z.int()).length(DAYS).describe("By day; today is the last").meta({
    examples: [[0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 1, 4, 0, 2]],
  }),
  total: z.int().describe("Of these days").meta({ examples: [10] }),
});
export type Openings = z.output<typeof Openings>;

export const OfApps = z.object({
  ids: text(MOST_APPS * 37).default("").transform((list) => list === "" ? [] : [...new Set(list.split(","))])
    .pipe(z.array(Uuid).max(MOST_APPS))
    .describe(`Ids of apps, separated by commas; at most ${MOST_APPS}`)
    .meta({ examples: ["0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] }),
});
export type OfApps = z.output<typeof OfApps>;
