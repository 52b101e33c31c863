/**
 * Which connectors and databases a program may name. A flow acts for the account, so its author must be allowed to see
 * everything that it names.
 */
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { parseProgram, type Reference, referencesOf } from "../../flow/flow.ts";
import { seesAll } from "../../visibility.ts";
import { listHiddenNames } from "./references.ts";
import { byPath } from "./warnings.ts";

/**
 * Checks references that the program had before, too: a changed step could use them in another way.
 *
 * @throws {Refusal} 422 at each name that is hidden from the viewer
 */
export async function proveWiring({ sql, viewer }: { sql: Sql; viewer: Viewer }, program: unknown): Promise<void> {
  if (seesAll(viewer)) return;
  const read = parseProgram(program);
  const references = "steps" in read ? referencesOf(read.steps) : [];
  if (references.length === 0) return;
  const codes = [...new Set(references.map(({ reference }) => reference.code))];
  const nameOf = ({ kind, code }: Pick<Reference, "kind" | "code">) => `${kind} ${code}`;
  const hidden = new Set((await listHiddenNames(sql, viewer, codes)).map(nameOf));
  const faults = references.filter(({ reference }) => hidden.has(nameOf(reference)))
    .map(({ reference, path }) => ({ path: [...path, reference.key], message: "must exist" }));
  if (faults.length > 0) throw invalid(byPath(faults));
}
