import { z } from "zod";
import type { Plan } from "../../../domains/agents/schema.ts";
import { Refusal } from "../../../errors.ts";
import { type Change, execute, executeConfirmed, keepOne, present, rehearse, writtenOf } from "../changes.ts";
import { planOfApp, planOfFlow, planOfTrigger } from "../deleting_runs.ts";
import { lineDiff } from "../line_diff.ts";
import { schemaLosses } from "../losses.ts";
import { readObject } from "../procedures.ts";
import { recordChange } from "../record_changes.ts";
import { AnyId, JsonMap, keyOf, KINDS, needed, ObjectKind, tool, untrusted, type Use } from "../tool.ts";

const input = z.object({
  kind: ObjectKind,
  id: AnyId,
  db_code: z.string().optional(),
  changes: JsonMap,
  lock_version: z.int().optional(),
  dry_run: z.boolean().default(false),
  confirmation: z.string().optional(),
});
type Input = z.output<typeof input>;

export const patch = tool({
  name: "patch",
  description:
    "Change the fields named in `changes` (of a record: fields of its data). Send a db's schema whole: rename_fields " +
    "and rename_tables keep values, drop_tables drops tables with records. dry_run answers the diff and every error.",
  input,
  readOnly: false,
  destructive: true,
  async run(use, args) {
    const { before, change } = await changeOf(use, args);
    const diff = diffOf(before, args.changes);
    if (args.dry_run) {
      try {
        await rehearse(use, change);
      } catch (error) {
        if (!(error instanceof Refusal) || !error.fields) throw error;
        return untrusted({ dry_run: true, passes: false, errors: error.fields, diff });
      }
    }
    const plan = await planOf(use, args, before);
    if (args.dry_run) {
      return untrusted({ dry_run: true, passes: true, diff, ...plan && { needs_confirmation: plan.effects } });
    }
    if (!plan) return untrusted({ patched: args.id, ...writtenOf(await execute(use, change)), diff });
    const { confirmation, dry_run: _dry_run, ...call } = args;
    return await executeConfirmed(use, { tool: "patch", args: call, plan, confirmation }, change);
  },
});

/** @returns undefined where nothing is lost, now or by a run that no request starts */
async function planOf(
  use: Use,
  { kind, changes }: Input,
  before: Record<string, unknown>,
): Promise<Plan | undefined> {
  switch (kind) {
    case "db": {
      const effects = await schemaLosses(use, before, changes);
      const title = `Change the schema of the database ${before.code}`;
      return effects.length === 0 ? undefined : { title, effects, state: String(before.lock_version) };
    }
    case "app":
      return await planOfApp(use, before, changes);
    case "flow":
      return await planOfFlow(use, before, changes);
    case "trigger": {
      const { target_code, active } = { ...before, ...changes };
      // What a trigger is called starts nothing. Everything else decides when it starts, and with which input.
      const is_name = Object.keys(changes).every((key) => ["name", "description", "max_failures"].includes(key));
      return active === true && !is_name && typeof target_code === "string"
        ? await planOfTrigger(use, target_code, before)
        : undefined;
    }
  }
}

async function changeOf(use: Use, args: Input): Promise<{ before: Record<string, unknown>; change: Change }> {
  const { kind, id, db_code, changes, lock_version } = args;
  if (kind === "record") {
    const code = needed(db_code, "db_code");
    const before = await readObject(use.ctx, "records.find", { db_code: code, id });
    const operations = [{ action: "update" as const, id: String(id), record: { data: changes } }];
    return { before: Object(before.data), change: await recordChange(use, code, operations) };
  }
  const before = await present(use, kind, id);
  const { domain, wrapper } = KINDS[kind];
  // What was read is what is changed: another writer's change in between is a conflict.
  const { rename_tables, rename_fields } = changes;
  const renamed = kind === "db" ? { renamed: { rename_tables, rename_fields } } : {};
  const sent = { ...changes, lock_version: lock_version ?? before.lock_version };
  return {
    before,
    change: {
      procedure: `${domain}.update`,
      input: { ...keyOf(kind, id), [wrapper]: sent },
      keep: keepOne(kind, { ...before, ...renamed }),
    },
  };
}

/** The named fields, before and after. */
function diffOf(before: Record<string, unknown>, changes: Record<string, unknown>): string {
  return Object.keys(changes).flatMap((key) => {
    const diff = Object.hasOwn(before, key) ? lineDiff(textOf(before[key]), textOf(changes[key])) : "";
    return diff === "" ? [] : [`${key}:\n${diff}`];
  }).join("\n");
}

const textOf = (value: unknown): string => typeof value === "string" ? value : JSON.stringify(value, null, 2) ?? "";
