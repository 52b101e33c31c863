/**
 * Warnings about a program: names of connectors, methods, databases, tables and fields that do not exist for the viewer,
 * parameters and keys that nothing uses, and mistakes in placeholders. A program with warnings is saved, because what it names may be created later.
 */
import { paramsOf } from "../../connectors/connectors.ts";
import type { Context } from "../../context.ts";
import type { Fields } from "../../errors.ts";
import type { Sql } from "../../database/pool.ts";
import { areAnswerable } from "../approvals/answerers.ts";
import {
  audiencesOf,
  type Fault,
  parseProgram,
  type Path,
  type Reference,
  referencesOf,
  type Step,
  unknownNames,
  unreached,
  unusedKeys,
} from "../../flow/flow.ts";
import { readSchema } from "../../store/store.ts";
import { type KnownConnector, listNamedConnectors, listNamedDbs, listNamedFlows, type NamedDb } from "./references.ts";

const MOST_WARNINGS = 100;

type ConnectorReference = Extract<Reference, { kind: "connector" }>;
type DatabaseReference = Extract<Reference, { kind: "database" }>;

/** @returns messages by path, in the form of a refusal's fields: `fields.program.1.connector_code` */
export async function warningsOf(
  { sql, viewer }: Context,
  { program, department_id }: { program: unknown; department_id: number | null },
): Promise<Fields> {
  const read = parseProgram(program);
  if ("faults" in read) return byPath(read.faults);
  const references = referencesOf(read.steps);
  const codesOf = (kind: Reference["kind"]) => [
    ...new Set(references.flatMap(({ reference }) => reference.kind === kind ? [reference.code] : [])),
  ];
  const [connectors, databases, flows] = [codesOf("connector"), codesOf("database"), codesOf("flow")];
  const [known_connectors, known_dbs, known_flows] = await Promise.all([
    connectors.length === 0 ? [] : listNamedConnectors(sql, viewer, connectors),
    databases.length === 0 ? [] : listNamedDbs(sql, viewer, databases),
    flows.length === 0 ? [] : listNamedFlows(sql, viewer, flows),
  ]);
  return byPath([
    ...references.flatMap(({ reference, path }) =>
      reference.kind === "connector" ? faultsAt(path, connectorWarnings(reference, known_connectors)) : []
    ),
    ...references.flatMap(({ reference, path }) =>
      reference.kind === "database" ? faultsAt(path, databaseWarnings(reference, known_dbs)) : []
    ),
    ...references.flatMap(({ reference: { kind, key, code }, path }) =>
      kind === "flow" && !known_flows.some((flow) => flow.code === code)
        ? faultsAt(path, [[key, `names the flow ${code}, which is not there`]])
        : []
    ),
    ...await unanswerable(sql, viewer.account_id, department_id, read.steps),
    ...unknownNames(read.steps),
    ...unreached(read.steps),
    ...unusedKeys(read.steps),
  ]);
}

/** Questions that no active user may answer now. */
async function unanswerable(
  sql: Sql,
  account: number,
  department_id: number | null,
  steps: readonly Step[],
): Promise<Fault[]> {
  const asked = audiencesOf(steps);
  const answerable = await areAnswerable(sql, account, department_id, asked.map(({ audience }) => audience));
  return asked.filter((_, i) => !answerable[i]).map(({ audience: { roles, user_ids }, path }) => {
    const key = roles.length > 0 ? "roles" : user_ids.length > 0 ? "users" : "departments";
    const message = key === "roles"
      ? "leaves nobody who may answer: no active user has such a role and sees the flow's department"
      : "leaves nobody who may answer: no active user is among them";
    return { path: [...path, key], message };
  });
}

/** About the flow that is called on failure. */
export async function warningsOfFailure({ sql, viewer }: Context, code: string): Promise<Fields> {
  const [known] = await listNamedFlows(sql, viewer, [code]);
  return known ? {} : { on_failure: [`names the flow ${code}, which is not there`] };
}

/** About names of secret inputs that the declared input does not have: what is sent by another name is not secret. */
export function warningsOfSecrets(input: unknown, secret_inputs: readonly string[]): Fields {
  const { properties } = Object(input);
  if (typeof properties !== "object" || properties === null) return {};
  const unknown = secret_inputs.filter((name) => !Object.hasOwn(properties, name));
  return unknown.length === 0 ? {} : {
    secret_inputs: unknown.map((name) => `names ${name}, which is no property of input`),
  };
}

/** About a key of a step. */
type Warning = [key: string, message: string];

const faultsAt = (path: Path, warnings: Warning[]): Fault[] =>
  warnings.map(([key, message]) => ({ path: [...path, key], message }));

function connectorWarnings(reference: ConnectorReference, known: readonly KnownConnector[]): Warning[] {
  const { key, code, method, params } = reference;
  const connector = known.find((one) => one.code === code);
  if (!connector) return [[key, `names the connector ${code}, which is not there`]];
  if (!Object.hasOwn(connector.methods, method)) return [["method", `is not a method of the connector ${code}`]];
  const asked = paramsOf({ ...connector.methods[method] }, reference);
  return [
    ...asked.filter((name) => !params.includes(name)).map((name): Warning => [
      "params",
      `has no ${name}, which the method ${method} asks for`,
    ]),
    ...params.filter((name) => !asked.includes(name)).map((name): Warning => [
      "params",
      `has ${name}, which the method ${method} does not use`,
    ]),
  ];
}

function databaseWarnings(reference: DatabaseReference, known: readonly NamedDb[]): Warning[] {
  const { key, code, table_name, fields } = reference;
  const db = known.find((one) => one.code === code);
  if (!db) return [[key, `names the database ${code}, which is not there`]];
  const tables = readSchema(db.schema);
  const table = tables.get(table_name ?? "");
  if (!table && table_name !== undefined) return [["table_name", `is not a table of the database ${code}`]];
  if (!table) {
    return [["table_name", `can't be blank: ${code} has the tables ${[...tables.keys()].toSorted().join(", ")}`]];
  }
  return fields.filter(({ key, name }) => !table.fields.has(name) && !ALSO_NAMED[key]?.includes(name))
    .map(({ key, name }): Warning => [key, `names ${name}, which is no field of the table`]);
}

/** What keys may name beside fields. */
const ALSO_NAMED: Record<string, readonly string[]> = {
  match: ["created_at", "updated_at"],
  filter: ["created_at", "updated_at"],
  sort: ["created_at", "updated_at", "id"],
};

/** @param faults with paths from the program on */
export function byPath(faults: readonly Fault[]): Fields {
  const fields: Fields = {};
  for (const { path, message } of faults.slice(0, MOST_WARNINGS)) {
    (fields[["fields", "program", ...path].join(".")] ??= []).push(message);
  }
  return fields;
}
