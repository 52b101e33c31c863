/**
 * Which connectors and databases an author may name in a program. A run checks them again. Authors who do not see
 * everything must name what exists: otherwise a refusal would tell them what they may not see.
 */
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { parseProgram, type Reference, referencesOf } from "../../flow/flow.ts";
import { seesAll } from "../../visibility.ts";
import { listNamedConnectors, listNamedDbs, listNamedFlows } from "./references.ts";
import { byPath } from "./warnings.ts";

/**
 * Checks references that the program had before, too: a changed step could use them in another way.
 *
 * @throws {Refusal} 422 at each name that is not visible to the viewer, unless the viewer sees everything
 */
export async function proveWiring({ sql, viewer }: { sql: Sql; viewer: Viewer }, program: unknown): Promise<void> {
  if (seesAll(viewer)) return;
  const read = parseProgram(program);
  const references = "steps" in read ? referencesOf(read.steps) : [];
  if (references.length === 0) return;
  const codesOf = (kind: Reference["kind"]) =>
    references.filter(({ reference }) => reference.kind === kind).map(({ reference }) => reference.code);
  const [connectors, dbs, flows] = [
    await listNamedConnectors(sql, viewer, codesOf("connector")),
    await listNamedDbs(sql, viewer, codesOf("database")),
    await listNamedFlows(sql, viewer, codesOf("flow")),
  ];
  const seen = {
    connector: new Set(connectors.map(({ code }) => code)),
    database: new Set(dbs.map(({ code }) => code)),
    flow: new Set(flows.map(({ code }) => code)),
  };
  const faults = references.filter(({ reference }) => !seen[reference.kind].has(reference.code))
    .map(({ reference, path }) => ({ path: [...path, reference.key], message: "must exist" }));
  if (faults.length > 0) throw invalid(byPath(faults));
}

/** @throws {Refusal} 422 if a flow calls itself on failure, or one that is not visible to the viewer */
export async function proveOnFailure(
  { sql, viewer }: { sql: Sql; viewer: Viewer },
  code: string,
  on_failure: string | null,
): Promise<void> {
  if (on_failure === null) return;
  if (on_failure === code) throw invalid({ on_failure: ["names this flow itself"] });
  if (seesAll(viewer)) return;
  const [seen] = await listNamedFlows(sql, viewer, [on_failure]);
  if (!seen) throw invalid({ on_failure: ["must exist"] });
}
