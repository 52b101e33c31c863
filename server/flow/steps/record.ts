/**
 * `record`: reads or writes records that the run's author may see. A write and its row in `flow_effects` share a transaction,
 * so a write happens exactly once, however many processes attempt it.
 */
import { z } from "zod";
import type { Actor } from "../../actor.ts";
import { isOutage, isStatementTimeout, refusalOfDatabase } from "../../database/pg_errors.ts";
import type { Sql } from "../../database/pool.ts";
import { notFound, Refusal } from "../../errors.ts";
import type { JsonObject, JsonValue } from "../../input/json_value.ts";
import { STALE, withDb } from "../../store/store.ts";
import { visibleTo } from "../../visibility.ts";
import type { RunHead } from "../run/model.ts";
import { LOST } from "../run/execution/interruption.ts";
import { storable } from "../storage/storable.ts";
import { after } from "../template/rendering.ts";
import { OnePlaceholder, Templates, TextTemplate } from "../template/template_shape.ts";
import { StepFault } from "./fault.ts";
import {
  createOne,
  deleteOne,
  departmentOfNew,
  getOne,
  listSome,
  Outdated,
  placeOf,
  type ReadAction,
  updateOne,
  upsertOne,
  UUID,
  type WriteAction,
} from "./record_actions.ts";
import { objectOf, renderKeys } from "./rendered_keys.ts";
import { commonKeys, line, type StepListShape } from "./step.ts";
import type { EffectCall, StepType } from "./step_type.ts";

type Action = Keys & ({ read: ReadAction; write?: undefined } | { write: WriteAction; read?: undefined });

/** The optional keys of an action. */
interface Keys {
  needs: string[];
  /** Exactly one of two. */
  either: [] | [first: string, second: string];
  takes: string[];
}

const SELECTOR = ["record_id", "match"] satisfies Keys["either"];
const NAMES = ["create", "update", "upsert", "delete", "get", "list"] as const;
const ACTIONS: Record<(typeof NAMES)[number], Action> = {
  create: { write: createOne, needs: ["data"], either: [], takes: [] },
  update: { write: updateOne, needs: ["data"], either: SELECTOR, takes: [] },
  upsert: { write: upsertOne, needs: ["match", "data"], either: [], takes: [] },
  delete: { write: deleteOne, needs: [], either: SELECTOR, takes: [] },
  get: { read: getOne, needs: [], either: SELECTOR, takes: [] },
  list: { read: listSome, needs: [], either: [], takes: ["filter", "sort", "limit"] },
};

const DEFAULT_LIMIT = 100;

/** The values are named like fields of the step's database. */
const OF_DATABASE = { "x-names-of": "database" };

/** Keys of which each action uses some. */
const OPTIONAL = ["record_id", "match", "data", "filter", "sort", "limit"] as const;

const usesOf = ({ needs, either, takes }: Keys): Set<string> => new Set([...needs, ...either, ...takes]);

/** The actions that use the key. */
const actionsOf = (key: (typeof OPTIONAL)[number]) => ({
  "x-actions": NAMES.filter((name) => usesOf(ACTIONS[name]).has(key)),
});

const shape = (steps: StepListShape) =>
  z.strictObject({
    type: z.literal("record"),
    ...commonKeys(steps),
    action: z.enum(NAMES),
    db_code: z.string().regex(/^[a-z0-9_]{1,100}$/, "is not the code of a database").meta({ "x-kind": "database" }),
    table_name: line(63).optional().describe("Of a database with several tables").meta({ "x-kind": "table" }),
    record_id: TextTemplate.refine((text) => /[{}]/.test(text) || UUID.test(text), "is not the id of a record")
      .optional().meta(actionsOf("record_id")),
    match: Templates.refine((fields) => Object.keys(fields).length > 0, "can't be blank").optional()
      .describe("Fields by which the record is found").meta({
        ...OF_DATABASE,
        ...actionsOf("match"),
        minProperties: 1,
      }),
    data: z.union([Templates, OnePlaceholder]).optional().meta({ ...OF_DATABASE, ...actionsOf("data") }),
    filter: Templates.optional().describe("By field a value, or an object of operators, as lists of records take it")
      .meta({ ...OF_DATABASE, ...actionsOf("filter") }),
    sort: TextTemplate.optional().describe("A field, with - before it descending").meta(actionsOf("sort")),
    limit: z.int().min(1).max(500).optional().describe(`${DEFAULT_LIMIT} by default`).meta(actionsOf("limit")),
  }).superRefine((step, ctx) => {
    for (const [key, message] of faultsOfKeys(step)) ctx.addIssue({ code: "custom", path: [key], message });
  }).transform(({ limit, ...step }) => ({ ...step, limit: limit ?? DEFAULT_LIMIT, is_limited: limit !== undefined }));

type RecordStep = z.output<ReturnType<typeof shape>>;

function* faultsOfKeys(step: { action: keyof typeof ACTIONS }): Generator<[key: string, message: string]> {
  const { needs, either: [first, second] } = ACTIONS[step.action];
  const given = new Set(Object.entries(step).flatMap(([key, value]) => value === undefined ? [] : [key]));
  const used = usesOf(ACTIONS[step.action]);
  for (const key of needs) if (!given.has(key)) yield [key, "can't be blank"];
  for (const key of OPTIONAL) if (given.has(key) && !used.has(key)) yield [key, `is not used by ${step.action}`];
  if (first === undefined || second === undefined) return;
  if (!given.has(first) && !given.has(second)) yield [first, `can't be blank, unless ${second} is given`];
  if (given.has(first) && given.has(second)) yield [second, `cannot stand beside ${first}`];
}

const TEMPLATES = ["record_id", "match", "data", "filter", "sort"];

export const record = {
  type: "record",
  about: {
    title: "Use records",
    summary: "reads or writes records of a database",
    icon: "database",
    group: "records",
    line: "{action} in {db_code}[ where {match}][ with the id {record_id}][: {data}]",
    blank: { action: "create", db_code: "", data: {} },
  },
  shape,
  templates: TEMPLATES,
  references: ({ db_code: code, table_name, data, match, filter, sort }) => {
    const in_order = sort === undefined || /[{}]/.test(sort) ? [] : sort.split(",").map((key) => key.replace(/^-/, ""));
    const fields = Object.entries({ data, match, filter }).flatMap(([key, names]) =>
      typeof names === "object" ? Object.keys(names).map((name) => ({ key, name })) : []
    );
    fields.push(...in_order.map((name) => ({ key: "sort", name })));
    return [{ kind: "database", key: "db_code", code, table_name, fields }];
  },
  effect: {
    input(step, rendering) {
      // A missing value in these keys must not become null, which would select unrelated records.
      const fail = (key: string) => (message: string) => {
        throw new StepFault(`${key}: ${message}`);
      };
      const warnOf = (key: string) => key === "match" || key === "record_id" ? fail(key) : rendering.warn;
      return after(renderKeys(step, TEMPLATES, rendering, warnOf), (rendered) => {
        proveFilterValues(step.filter, rendered.filter);
        const { action, db_code, table_name, limit } = step;
        const takes_limit = ACTIONS[action].takes.includes("limit");
        return {
          action,
          db_code,
          ...table_name !== undefined && { table_name },
          ...rendered,
          ...takes_limit && { limit },
        };
      });
    },
    async perform(step, input, call) {
      proveSelector(input);
      call.startClock();
      try {
        return { output: await perform(step, input, call), http_status: null };
      } catch (error) {
        // A slow read is a fault of the program, which lists too much. A slow write waits for a lock.
        const is_slow_read = isStatementTimeout(error) && !ACTIONS[step.action].write;
        if (isOutage(error) && !is_slow_read) throw error;
        const refusal = error instanceof Refusal ? error : refusalOfDatabase(error);
        if (!refusal) throw error;
        throw new StepFault(sentenceOf(refusal), is_slow_read ? "timeout" : undefined);
      }
    },
    waits_for_others: false,
    isTransaction: ({ action }) => ACTIONS[action].write !== undefined,
  },
} satisfies StepType<RecordStep>;

/** A run that a step or a retry has started has the trigger of the first run in `trigger_data` only. */
function triggerOf({ cron_id, trigger_data }: RunHead): number | undefined {
  const inherited = trigger_data?.cron_id;
  return cron_id ?? (typeof inherited === "number" ? inherited : undefined);
}

/** Resolves after its transaction has ended, never before: the result says what has happened. */
function perform(step: RecordStep, input: JsonObject, call: EffectCall): Promise<JsonValue> {
  const { services: { sql, dbs }, head, reach, signal, warn } = call;
  const missing = () => notFound(`Database ${step.db_code}`);
  return withDb<JsonValue>(dbs, head.account_id, step.db_code, missing, async (db) => {
    if (!visibleTo(reach, db.department_id)) throw missing();
    const { read, write } = ACTIONS[step.action];
    const by: Actor = { user_id: head.user_id, via: "run", id: head.id };
    const place = placeOf(db, step.table_name, reach, by, triggerOf(head));
    const department_id = departmentOfNew(reach, head.department_id);
    const order = { place, input, limit: step.limit, user_id: head.user_id, department_id };
    if (read) {
      const output = await read(sql, order);
      if (!step.is_limited && Array.isArray(output) && output.length === DEFAULT_LIMIT) {
        warn(`lists ${DEFAULT_LIMIT} records, the most without limit: there may be more`);
      }
      return output;
    }
    return await sql.begin(async (tx) => {
      const output = await once(tx, call, () => write(tx, order));
      // Past the deadline the run records that the write did not happen, so the transaction is rolled back.
      signal.throwIfAborted();
      return output;
    }).catch((error) => {
      if (error instanceof Outdated) return STALE;
      throw error;
    });
  });
}

/**
 * Does the work unless `flow_effects` has a row for the place, from this process or one before. A process that has lost
 * the run writes nothing, however late it wakes up.
 *
 * @throws {Interrupted} if another process has the run
 */
async function once(tx: Sql, { head, place }: EffectCall, work: () => Promise<JsonValue>): Promise<JsonValue> {
  const { id, attempts } = head;
  const claimed = await tx`
    insert into flow_effects (run_id, place, output)
    select ${id}, ${place}, 'null'
    where not exists (select from flow_processes where id = ${id})
      and not exists (select from flow_claims where run_id = ${id} and attempts > ${attempts})
    on conflict (run_id, place) do nothing
    returning 1
  `;
  if (claimed.length > 0) {
    const output = await work();
    await tx`
      update flow_effects set output = ${storable(output)}::text::json where run_id = ${id} and place = ${place}
    `;
    return output;
  }
  const [done] = await tx<{ output: JsonValue }[]>`
    select output from flow_effects where run_id = ${id} and place = ${place}
  `;
  if (!done) throw LOST;
  return done.output;
}

/**
 * A rendered value names one record. An object would be read as operators, and a blank matches every record without a
 * value.
 *
 * @throws {StepFault}
 */
function proveSelector({ record_id, match }: JsonObject): void {
  if (record_id !== undefined && typeof record_id !== "string") throw new StepFault("record_id is no id");
  for (const [field, value] of Object.entries(objectOf(match))) {
    const blank = value === null || value === "";
    if (blank || typeof value === "object") {
      throw new StepFault(`match: ${field} ${blank ? "is blank" : "is no single value"}`);
    }
  }
}

/**
 * The program alone decides which operators a filter has: a placeholder must not become an object of operators.
 *
 * @throws {StepFault}
 */
function proveFilterValues(templates: JsonObject | undefined, rendered: JsonValue | undefined): void {
  for (const [field, value] of Object.entries(objectOf(rendered))) {
    if (typeof templates?.[field] === "string" && typeof value === "object" && value !== null) {
      throw new StepFault(`filter: ${field} is no single value`);
    }
  }
}

/** `name can't be blank; price is not a number`, or the refusal's own sentence. */
const sentenceOf = ({ fields, message }: Refusal): string =>
  fields ? Object.entries(fields).map(([field, messages]) => `${field} ${messages.join(", ")}`).join("; ") : message;
