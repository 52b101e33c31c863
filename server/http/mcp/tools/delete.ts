import { createHash } from "node:crypto";
import { z } from "zod";
import { executeConfirmed, keepOne, present } from "../changes.ts";
import { deletionEffects, stateOfRecords } from "../losses.ts";
import { readObject } from "../procedures.ts";
import { recordChange } from "../record_changes.ts";
import { AnyId, keyOf, KINDS, needed, ObjectKind, tool, type ToolAnswer, type Use } from "../tool.ts";

const input = z.object({
  kind: ObjectKind,
  id: AnyId.optional(),
  ids: z.array(z.string()).min(1).max(50).optional().describe("of records"),
  db_code: z.string().optional(),
  force: z.boolean().optional().describe("although something uses it"),
  confirmation: z.string().optional(),
});
type Input = z.output<typeof input>;

export const remove = tool({
  name: "delete",
  description:
    "Delete an object, or records of db_code. Answers a plan with counts and a confirmation; when a person " +
    "has accepted it in the console, the same call with it deletes.",
  input,
  readOnly: false,
  destructive: true,
  run: (use, args) => args.kind === "record" ? deleteRecords(use, args) : deleteObject(use, args, args.kind),
});

async function deleteRecords(use: Use, { confirmation, ...args }: Input): Promise<ToolAnswer> {
  const db_code = needed(args.db_code, "db_code");
  const ids = [...new Set(args.ids ?? [String(needed(args.id, "ids"))])];
  const change = await recordChange(use, db_code, ids.map((id) => ({ action: "delete", id })));
  const { name } = await readObject(use.ctx, "dbs.find", { db_code });
  const title = `Delete ${ids.length} record${ids.length === 1 ? "" : "s"} of the database ${name} (${db_code})`;
  const plan = { title, effects: ids.slice(0, 50).map((id) => `Record ${id}`), state: digestOf(change.before) };
  return await executeConfirmed(use, { tool: "delete", args, plan, confirmation }, change);
}

const digestOf = (json: unknown): string => createHash("sha256").update(JSON.stringify(json)).digest("base64url");

async function deleteObject(
  use: Use,
  { confirmation, ...args }: Input,
  kind: Exclude<Input["kind"], "record">,
): Promise<ToolAnswer> {
  const id = needed(args.id, "id");
  const object = await present(use, kind, id);
  const effects = await deletionEffects(use, kind, object);
  const names = { app: "app", db: "database", flow: "flow", trigger: "trigger" };
  // An agent may have changed the name: a code or an id says what it is.
  const code = object.code ?? object.url_code ?? object.id;
  const title = `Delete the ${names[kind]} ${object.name ?? object.target_code} (${code})`;
  // Other records than those that were counted are another loss. The rows of a trigger's ledger come by themselves.
  const state = `${object.lock_version} ${kind === "db" ? await stateOfRecords(use, object) : ""}`;
  const plan = { title, effects, state };
  const { domain } = KINDS[kind];
  const force = kind === "db" || kind === "flow" ? { force: args.force ?? false } : {};
  const change = {
    procedure: `${domain}.delete`,
    input: { ...keyOf(kind, id), ...force },
    keep: keepOne(kind, object),
  };
  return await executeConfirmed(use, { tool: "delete", args, plan, confirmation }, change);
}
