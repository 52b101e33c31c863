/** Calls of public methods as a visitor, by a user who tries them. */
import { TRPCError } from "@trpc/server";
import { type z } from "zod";
import type { Context } from "../../../context.ts";
import { Json } from "../../../database/json.ts";
import { playedBrowser } from "../../../secrets/browser_key.ts";
import { refusalOf } from "../../../trpc.ts";
import { inDb } from "../place.ts";
import { createPublic, deletePublic, listPublic, updatePublic } from "./public.ts";
import type { PublicContext } from "./public_access.ts";
import {
  PublicChanges,
  PublicDelete,
  PublicPage,
  PublicRecord,
  type Trial,
  type TrialAnswer,
} from "./public_schema.ts";

type Method = (ctx: PublicContext, input: Record<string, unknown>) => Promise<unknown>;

const METHODS: Record<Trial["method"], Method> = {
  list: (ctx, input) => listPublic(ctx, read(PublicPage, input)),
  create: (ctx, input) => createPublic(ctx, read(PublicRecord, input)),
  update: (ctx, input) => updatePublic(ctx, read(PublicChanges, input)),
  delete: (ctx, input) => deletePublic(ctx, read(PublicDelete, input)),
};

/** As the procedures of public methods read their input. */
function read<S extends z.ZodType>(shape: S, input: Record<string, unknown>): z.output<S> {
  const { success, data, error } = shape.safeParse(input);
  if (!success) throw new TRPCError({ code: "BAD_REQUEST", cause: error });
  return data;
}
const META = { names: { id: "Record" }, lenient_body: true };

/** @throws {Refusal} 404 for a database that the viewer does not see; what the visitor is refused is an answer */
export async function tryPublic(ctx: Context, { db_code, visitor, method, input }: Trial): Promise<TrialAnswer> {
  const { sql, reads, writes, keys, dbs, clock, call, viewer } = ctx;
  await inDb(ctx, db_code, () => Promise.resolve(undefined));
  const caller = {
    account_id: viewer.account_id,
    viewer: undefined,
    browser: playedBrowser(keys, viewer.user_id, visitor),
    address: call.address,
    app_id: undefined,
  };
  try {
    const answer = await METHODS[method]({ sql, reads, writes, keys, dbs, clock, call, caller }, {
      ...input,
      db_code,
    });
    return { status: method === "create" ? 201 : 200, body: answer instanceof Json ? answer.parse() : answer };
  } catch (error) {
    const { status, body } = refusalOf(error, META);
    if (status >= 500) throw error;
    return { status, body };
  }
}
