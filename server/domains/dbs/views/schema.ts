import { z } from "zod";
import { tooLong } from "../../../input/messages.ts";
import { Id, Name, page, text, Timestamp } from "../../../input/shapes.ts";
import { Filter } from "../../records/schema.ts";
import { ByCode } from "../schema.ts";

/** Characters of a view's columns and filter. */
const MOST_CHARACTERS = 32_768;
const fits = (value: unknown) => JSON.stringify(value ?? null).length <= MOST_CHARACTERS;

const Column = z.object({
  field: text(63).describe("A field of the table, or `id`, `created_at`, `updated_at`").meta({ examples: ["author"] }),
  width: z.int().min(40).max(2_000).optional().describe("Pixels; the page chooses where it is left out")
    .meta({ examples: [240] }),
  hidden: z.boolean().default(false),
  frozen: z.boolean().default(false).describe("Stays in place while the others scroll"),
});

const settings = {
  columns: z.array(Column).max(300).refine(fits, tooLong(MOST_CHARACTERS))
    .describe("In their order; columns of fields that it does not name come last")
    .meta({ examples: [[{ field: "author", width: 240, hidden: false, frozen: true }]] }),
  filter: Filter.unwrap().refine(fits, tooLong(MOST_CHARACTERS)).describe("As lists of records take it")
    .meta({ examples: [{ author: { contains: "Ada" } }] }),
  q: text(255).describe("The search; blank for none").meta({ examples: [""] }),
  sort: text(270).describe("As lists of records take it; blank for the newest first").meta({
    examples: ["-created_at"],
  }),
};

export const Settings = z.object(settings);
export type Settings = z.output<typeof Settings>;

const name = Name.meta({ examples: ["Messages by Ada"] });
const shared = z.boolean().describe("Everyone who sees the database has it; otherwise only its owner")
  .meta({ examples: [false] });
const table_name = text(63).describe("Required in a database with several tables");

export const NewView = Settings.partial().extend({
  name,
  shared: shared.default(false),
  table_name: table_name.nullish(),
});
export type NewView = z.output<typeof NewView>;

export const ViewChanges = Settings.partial().extend({ name: name.optional(), shared: shared.optional() });
export type ViewChanges = z.output<typeof ViewChanges>;

export const View = z.object({
  id: Id,
  table_name: z.string().nullable().describe("Null in a database of one table").meta({ examples: [null] }),
  name,
  shared,
  owner_id: Id.nullable().describe("Null where the owner is deleted"),
  ...settings,
  left_out: z.array(z.object({
    part: z.enum(["columns", "filter", "sort"]).meta({ examples: ["filter"] }),
    field: z.string().meta({ examples: ["city"] }),
    reason: z.string().meta({ examples: ["names no field of this table"] }),
  })).describe("Saved parts that the table no longer fits; the view is answered without them").meta({ examples: [[]] }),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type View = z.output<typeof View>;

export const ViewPage = page(["name", "-name"]).extend(ByCode.shape).extend({ table_name: table_name.optional() });
export type ViewPage = z.output<typeof ViewPage>;

export const ByView = ByCode.extend({ view_id: Id });
export type ByView = z.output<typeof ByView>;
