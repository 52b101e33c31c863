/** Inputs of the public methods. Source: spec, "Payloads". */
import { z } from "zod";
import { Uuid } from "../../input/shapes.ts";
import { DbCode } from "../dbs/schema.ts";
import { RecordPage } from "./schema.ts";

const Data = z.record(z.string(), z.unknown()).meta({ examples: [{ message: "Hello" }] });

export const PublicPage = RecordPage.pick({ db_code: true, page: true, per_page: true, sort: true, filter: true });
export type PublicPage = z.output<typeof PublicPage>;

export const PublicRecord = z.object({ db_code: DbCode, data: Data });
export type PublicRecord = z.output<typeof PublicRecord>;

export const PublicChanges = z.object({ db_code: DbCode, id: Uuid, data: Data });
export type PublicChanges = z.output<typeof PublicChanges>;

export const PublicDelete = z.object({ db_code: DbCode, id: Uuid });
export type PublicDelete = z.output<typeof PublicDelete>;

export const DeletedRecord = z.object({ id: Uuid });
export type DeletedRecord = z.output<typeof DeletedRecord>;
