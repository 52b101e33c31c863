/** Shapes of dashboards, in requests and answers. */
import { z } from "zod";
import { Timestamp, Uuid } from "../../input/shapes.ts";

const COLUMNS = 12;
export const MOST_TILES = 100;

/** A column that is none has its own message. */
const endsInside = ({ x, w }: { x: number; w: number }) => x >= COLUMNS || w > COLUMNS || x + w <= COLUMNS;

const Tile = z.object({
  app_id: Uuid,
  x: z.int().min(0).max(COLUMNS - 1).describe("The first column, from 0").meta({ examples: [0] }),
  y: z.int().min(0).max(10_000).describe("The first row, from 0").meta({ examples: [0] }),
  w: z.int().min(1).max(COLUMNS).describe("Columns").meta({ examples: [6] }),
  h: z.int().min(1).max(100).describe("Rows").meta({ examples: [4] }),
});
export type Tile = z.output<typeof Tile>;

export const NewDashboard = z.object({
  tiles: z.array(
    Tile.refine(endsInside, { path: ["w"], message: `must end at column ${COLUMNS}` }),
  ).max(MOST_TILES),
  if_updated_at: Timestamp.nullish().describe(
    "Replace the board only if it still has this `updated_at`; null: only if there is none yet. Without it in any case",
  ).meta({ examples: [null] }),
});
export type NewDashboard = z.output<typeof NewDashboard>;

export const Dashboard = z.object({
  is_default: z.boolean().describe("Whether it is the account's board, because the user has none").meta({
    examples: [false],
  }),
  tiles: z.array(Tile.extend({
    title: z.string().describe("The app's name").meta({ examples: ["Counter"] }),
    url: z.string().meta({ examples: ["https://atrium.example.com/a/0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55"] }),
  })),
  updated_at: Timestamp.nullable().describe("Null where there is no board"),
});
export type Dashboard = z.output<typeof Dashboard>;
