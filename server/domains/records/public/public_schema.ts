/** Inputs of the public methods. Source: spec, "Payloads". */
import { z } from "zod";
import { Uuid } from "../../../input/shapes.ts";
import { DbCode } from "../../dbs/db_code.ts";
import { RecordPage } from "../schema.ts";

const Data = z.record(z.string(), z.unknown()).meta({ examples: [{ message: "Hello" }] });

export const PublicPage = RecordPage.pick({ db_code: true, page: true, per_page: true, sort: true, filter: true });
export type PublicPage = z.output<typeof PublicPage>;

export const PublicRecord = z.object({ db_code: DbCode, data: Data });
export type PublicRecord = z.output<typeof PublicRecord>;

export const PublicChanges = z.object({ db_code: DbCode, id: Uuid, data: Data });
export type PublicChanges = z.output<typeof PublicChanges>;

export const PublicDelete = z.object({ db_code: DbCode, id: Uuid });
export type PublicDelete = z.output<typeof PublicDelete>;

export const Trial = z.object({
  db_code: DbCode,
  visitor: Uuid.describe(
    "Any id. Calls with the same one are those of the same visitor; only the caller can repeat it",
  ),
  method: z.enum(["list", "create", "update", "delete"]).meta({ examples: ["list"] }),
  input: z.record(z.string(), z.unknown()).default({}).describe("The body of the public method")
    .meta({ examples: [{ per_page: 5 }] }),
});
export type Trial = z.output<typeof Trial>;

export const TrialAnswer = z.object({
  status: z.int().meta({ examples: [200] }),
  body: z.unknown().meta({ examples: [[]] }),
});
export type TrialAnswer = z.output<typeof TrialAnswer>;

export const DeletedRecord = z.object({ id: Uuid });
export type DeletedRecord = z.output<typeof DeletedRecord>;
