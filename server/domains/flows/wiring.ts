/** What a program may name: it acts in the account's name, so its author must see what it is wired to. */
import type { Viewer } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { parseProgram, type Step, walk } from "../../flow/program/program.ts";
import { seesAll } from "../../visibility.ts";
import { listHiddenNames } from "./queries.ts";
import { byPath } from "./warnings.ts";

/** What a step is wired to: a key of its, and the code under it. */
function wireOf(step: Step): { key: "connector_code" | "db_code"; code: string } | undefined {
  if (step.type === "connector") return { key: "connector_code", code: step.connector_code };
  if (step.type === "record") return { key: "db_code", code: step.db_code };
}

function* wiresOf(program: unknown) {
  const read = parseProgram(program);
  if ("faults" in read) return;
  for (const { step, path } of walk(read.steps)) {
    const wire = wireOf(step);
    if (wire) yield { ...wire, path };
  }
}

/**
 * All of it, also what stood there before: with another step, or another end, it would do something else with what its
 * author does not see.
 *
 * @throws {Refusal} 422 at what is hidden from the viewer
 */
export async function proveWiring(
  { sql, viewer }: { sql: Sql; viewer: Viewer },
  program: unknown,
): Promise<void> {
  if (seesAll(viewer)) return;
  const wires = [...wiresOf(program)];
  if (wires.length === 0) return;
  const hidden = new Set(
    (await listHiddenNames(sql, viewer, [...new Set(wires.map(({ code }) => code))]))
      .map(({ key, code }) => `${key} ${code}`),
  );
  const faults = wires.filter(({ key, code }) => hidden.has(`${key} ${code}`))
    .map(({ key, path }) => ({ path: [...path, key], message: "must exist" }));
  if (faults.length > 0) throw invalid(byPath(faults));
}
