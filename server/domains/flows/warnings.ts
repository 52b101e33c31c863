/**
 * What a program names and is not there, or is not there for the viewer. It may come later, so the program is kept all
 * the same.
 */
import type { Context } from "../../context.ts";
import { paramsIn } from "../../connectors/connectors.ts";
import type { Fields } from "../../errors.ts";
import {
  type ConnectorStep,
  type Fault,
  parseProgram,
  type RecordStep,
  unknownNames,
  unreached,
  walk,
} from "../../flow/program/program.ts";
import { type KnownConnector, listNamedConnectors, listNamedDbs, type NamedDb } from "./queries.ts";

const MOST = 100;

/** @returns messages by path, as those of a refusal are: `fields.program.1.connector_code` */
export async function warningsOf({ sql, viewer }: Context, program: unknown): Promise<Fields> {
  const read = parseProgram(program);
  if ("faults" in read) return byPath(read.faults);
  const places = [...walk(read.steps)];
  const connecting = places.flatMap(({ step, path }) => step.type === "connector" ? [{ step, path }] : []);
  const recording = places.flatMap(({ step, path }) => step.type === "record" ? [{ step, path }] : []);
  const connectors = new Set(connecting.map(({ step }) => step.connector_code));
  const dbs = new Set(recording.map(({ step }) => step.db_code));
  const [known_connectors, known_dbs] = await Promise.all([
    connectors.size === 0 ? [] : listNamedConnectors(sql, viewer, [...connectors]),
    dbs.size === 0 ? [] : listNamedDbs(sql, viewer, [...dbs]),
  ]);
  return byPath([
    ...connecting.flatMap(({ step, path }) =>
      doubtsOfConnector(step, known_connectors).flatMap((doubt) => below(path, doubt))
    ),
    ...recording.flatMap(({ step, path }) => below(path, doubtOfDb(step, known_dbs))),
    ...unknownNames(read.steps),
    ...unreached(read.steps),
  ]);
}

type Doubt = [key: string, message: string] | undefined;

const below = (path: Fault["path"], doubt: Doubt): Fault[] =>
  doubt ? [{ path: [...path, doubt[0]], message: doubt[1] }] : [];

function doubtsOfConnector(step: ConnectorStep, known: readonly KnownConnector[]): Doubt[] {
  const { connector_code, method, params = {} } = step;
  const connector = known.find(({ code }) => code === connector_code);
  if (!connector) return [["connector_code", `names the connector ${connector_code}, which is not there`]];
  if (!Object.hasOwn(connector.methods, method)) {
    return [["method", `is not a method of the connector ${connector_code}`]];
  }
  // What the step writes itself stands for the method's own.
  const { path, headers, query, body } = { ...connector.methods[method] };
  const asked = [path, headers, step.query ?? query, step.body ?? body].flatMap(paramsIn);
  return [...new Set(asked)].filter((name) => !Object.hasOwn(params, name))
    .map((name) => ["params", `has no ${name}, which the method ${method} asks for`]);
}

function doubtOfDb({ db_code, table_name }: RecordStep, known: readonly NamedDb[]): Doubt {
  const db = known.find(({ code }) => code === db_code);
  if (!db) return ["db_code", `names the database ${db_code}, which is not there`];
  if (table_name !== undefined) {
    return db.tables.includes(table_name) ? undefined : ["table_name", `is not a table of the database ${db_code}`];
  }
  const [first, ...more] = db.tables;
  if (first && more.length > 0) {
    return ["table_name", `can't be blank: ${db_code} has the tables ${db.tables.join(", ")}`];
  }
}

/** @param faults with paths from the program on */
export function byPath(faults: readonly Fault[]): Fields {
  const fields: Fields = {};
  for (const { path, message } of faults.slice(0, MOST)) {
    (fields[["fields", "program", ...path].join(".")] ??= []).push(message);
  }
  return fields;
}
