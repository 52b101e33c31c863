/** Shapes of an account's archive: things with stable names, and the plan of a push. */
import { z } from "zod";
import { isStorable, NOT_STORABLE } from "../../input/shapes.ts";
import { KEY, KINDS } from "./thing.ts";

const KindName = z.enum(KINDS).meta({ examples: ["flow"] });
const Key = z.string().regex(KEY, "must be lower-case letters, digits, - and _, at most 110")
  .describe("Its name within its kind: the `url_code` or `code`, else the slug of the name. Files are named after it")
  .meta({ examples: ["watch"] });
const Etag = z.string().max(100).describe("Changes with the value, and is the same on every server for the same value")
  .meta({ examples: ["nYq0Wm5iXcZr1dHb7TzUaA"] });
const ThingValue = z.record(z.string(), z.json()).refine(isStorable, NOT_STORABLE).describe(
  "Its definition, without ids: departments are named. Keys that are left out have their default",
).meta({ examples: [{ name: "Watch the rate", program: [] }] });

export const Thing = z.object({ kind: KindName, key: Key, etag: Etag, value: ThingValue });
export type Thing = z.output<typeof Thing>;

/** A page is small, because a source may have 200,000 characters. */
export const ThingPage = z.object({
  page: z.int().min(1).max(1_000_000).default(1),
  per_page: z.int().min(1).max(100).default(50),
  sort: z.enum(["kind"]).optional().describe("By kind and key; there is no other order"),
  kind: KindName.optional(),
});
export type ThingPage = z.output<typeof ThingPage>;

const MOST_THINGS = 2_000;
const MOST_SECRETS = 500;

const Wanted = z.strictObject({
  kind: KindName,
  key: Key,
  value: ThingValue.optional().describe("What it shall be. Left out: as it was in the base, and so it must still be"),
  renamed_from: Key.optional().describe(
    "The key of a thing that becomes this one, with its records, runs and secrets; ignored where this one is there already",
  ).meta({ examples: ["look"] }),
});

const Base = z.strictObject({
  kind: KindName,
  key: Key,
  etag: Etag.optional(),
  value: ThingValue.optional().describe("Instead of the etag"),
});

export const Push = z.object({
  things: z.array(Wanted).max(MOST_THINGS).describe("What the account shall have, as far as the caller says"),
  base: z.array(Base).max(MOST_THINGS).default([]).describe(
    "The things as the caller knows them. A thing that has another etag by now is a conflict. One that is not among " +
      "`things` is to be deleted",
  ),
  delete: z.boolean().default(false).describe("Deletes what is in `base` and not in `things`; otherwise it is kept"),
  dry_run: z.boolean().default(false).describe("Answers the plan and changes nothing")
    .meta({ examples: [true] }),
  secrets: z.record(z.string().max(200), z.string().max(4_096))
    .refine((secrets) => Object.keys(secrets).length <= MOST_SECRETS, `has more than ${MOST_SECRETS} entries`)
    .default({}).describe(
      "By `kind/key`: of connectors and webhook triggers that are created, and of connectors that move to another origin. " +
        "A secret that is there stays",
    ).meta({ examples: [{ "connector/fx": "sk_live_1" }] }),
});
export type Push = z.output<typeof Push>;

const Messages = z.record(z.string(), z.array(z.string()));

export const PlannedChange = z.object({
  kind: KindName,
  key: Key,
  action: z.enum(["create", "change", "rename", "delete", "keep"]).describe(
    "`keep`: it would be deleted, but `delete` was not sent",
  ).meta({ examples: ["change"] }),
  from: Key.nullable().describe("The key before a rename").meta({ examples: [null] }),
  fields: z.array(z.string()).describe("The fields that differ").meta({ examples: [["program"]] }),
  faults: Messages.describe("By field, why this is refused").meta({ examples: [{}] }),
  warnings: Messages.describe("By field, what would not work afterwards").meta({ examples: [{}] }),
  etag: Etag.nullable().describe("As it is to be; null for a deletion and where it is refused"),
  webhook_url: z.string().nullable().describe("The secret address of a new webhook trigger, shown once")
    .meta({ examples: [null] }),
});
export type PlannedChange = z.output<typeof PlannedChange>;

export const Conflict = z.object({
  kind: KindName,
  key: Key,
  base: Etag.nullable().describe("As the caller knows it; null if it does not"),
  yours: Etag.nullable().describe("As the caller wants it; null for a deletion"),
  server: z.object({ etag: Etag, value: ThingValue }).nullable().describe("As it is; null if it was deleted"),
});
export type Conflict = z.output<typeof Conflict>;

export const Plan = z.object({
  applied: z.boolean().describe("Whether the changes were made: all of them or none").meta({ examples: [true] }),
  changes: z.array(PlannedChange),
  conflicts: z.array(Conflict).meta({ examples: [[]] }),
  unchanged: z.int().describe("Things that are as they shall be").meta({ examples: [3] }),
});
export type Plan = z.output<typeof Plan>;
