/** Flows, their versions, examples and drafts. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { fold, Id, LockVersion } from "../../../../input/shapes.ts";
import { NewFlow } from "../../../flows/schema.ts";
import type { Ids } from "../ids.ts";
import { byId, Moment, type MovedTable, type Row } from "../moved.ts";

export const flows: MovedTable = {
  name: "flows",
  with: "account",
  table: part`flows`,
  columns: part`
    id, department_id, code, name, active, guarded, fields, version, author_id, runs_as, input, output, secret_inputs,
    on_failure, max_at_once, overlap, lock_version, created_at, updated_at
  `,
  made: part`name_folded`,
  ...byId,
  at_once: 50,
  numbered: "flow",
  references: { department_id: ["department", "null"], author_id: ["user", "null"] },
  shape: NewFlow.omit({ kind: true, program: true }).required().extend({
    id: Id,
    version: z.int().min(1),
    lock_version: LockVersion,
    created_at: Moment,
    updated_at: Moment,
  }),
  settle: ({ name, fields }, { ids }) => ({ name_folded: fold(String(name)), fields: withNumbers(fields, ids) }),
};

/** Also those of flows that were deleted, which runs show. */
export const flowVersions: MovedTable = {
  name: "flow_versions",
  with: "account",
  table: part`flow_versions`,
  columns: part`
    flow_id, version, program, created_at, replaced_at, author_id, runs_as, dropped_at, input, output, secret_inputs,
    on_failure
  `,
  key: part`flow_id, version`,
  keyOf: ({ flow_id, version }) => part`${Number(flow_id)}::int, ${Number(version)}::int`,
  at_once: 50,
  references: { flow_id: ["flow", "new"], author_id: ["user", "null"] },
  shape: z.object({ flow_id: Id, version: z.int().min(1), program: z.array(z.unknown()), created_at: Moment }),
  settle: ({ program }, { ids }) => ({ program: withNumbers(program, ids) }),
};

/** Steps of approvals name users and departments by their ids. Those that are gone are left out. */
function withNumbers(json: unknown, ids: Ids): unknown {
  if (Array.isArray(json)) return json.map((value) => withNumbers(value, ids));
  if (typeof json !== "object" || json === null) return json;
  const entries = Object.entries(json).map(([key, value]) => [key, withNumbers(value, ids)]);
  const step: Row = Object.fromEntries(entries);
  if (step.type !== "approval") return step;
  const renumber = (kind: "user" | "department", olds: unknown) =>
    Array.isArray(olds) ? olds.flatMap((old) => ids.find(kind, old) ?? []) : olds;
  return {
    ...step,
    ...step.users !== undefined && { users: renumber("user", step.users) },
    ...step.departments !== undefined && { departments: renumber("department", step.departments) },
  };
}

const Recorded = z.looseObject({ user_id: Id.nullable() });

/** Without what is encrypted for this server: secret inputs of the run. */
export const examples: MovedTable = {
  name: "flow_examples",
  with: "account",
  table: part`flow_examples`,
  columns: part`flow_id, name, recorded, created_by_id, created_at`,
  selected: part`id, flow_id, name, recorded, created_by_id, created_at`,
  ...byId,
  at_once: 50,
  references: { flow_id: ["flow", "skip"], created_by_id: ["user", "null"] },
  shape: z.object({ flow_id: Id, name: z.string().min(1), recorded: Recorded, created_at: Moment }),
  settle({ recorded }, { ids }) {
    // In the place that the key has: the text of JSON keeps the order.
    const kept = Recorded.parse(recorded);
    return { recorded: { ...kept, user_id: ids.find("user", kept.user_id) ?? null } };
  },
};

export const flowDrafts: MovedTable = {
  name: "flow_drafts",
  with: "account",
  table: part`flow_drafts`,
  columns: part`user_id, flow_id, program_text, base_text, base_lock_version, revision, updated_at`,
  key: part`user_id, flow_id`,
  keyOf: ({ user_id, flow_id }) => part`${Number(user_id)}::int, ${Number(flow_id)}::int`,
  at_once: 50,
  references: { user_id: ["user", "skip"], flow_id: ["flow", "skip"] },
  shape: z.object({ user_id: Id, flow_id: Id, revision: z.int().min(0), updated_at: Moment }),
};
