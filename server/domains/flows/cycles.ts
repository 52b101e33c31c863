/** Flows that call each other in a circle, as far as their saved programs show it. */
import type { Sql } from "../../database/pool.ts";
import { invalid } from "../../errors.ts";
import { parseProgram, referencesOf } from "../../flow/flow.ts";
import { byPath } from "./warnings.ts";

/** Calls that are followed. Deeper calls fail in a run. */
const MOST_DEEP = 5;
const MOST_FLOWS = 200;

/** The flows that a program calls, with the paths of the keys that name them. */
function callsOf(program: unknown) {
  const read = parseProgram(program);
  if ("faults" in read) return [];
  return referencesOf(read.steps).flatMap(({ reference, path }) =>
    reference.kind === "flow" ? [{ code: reference.code, path: [...path, reference.key] }] : []
  );
}

/** @throws {Refusal} 422 at each step that leads back to the flow itself */
export async function proveNoCycle(sql: Sql, account_id: number, code: string, program: unknown): Promise<void> {
  const calls = callsOf(program);
  if (calls.length === 0) return;
  const called = new Map<string, string[]>();
  let codes = [...new Set(calls.map(({ code }) => code))];
  for (let depth = 1; depth < MOST_DEEP && codes.length > 0; depth++) {
    const rows = await sql<{ code: string; program: unknown }[]>`
      select code, fields -> 'program' as program
      from flows
      where account_id = ${account_id}
        and code = any(${codes}::text[])
      limit ${MOST_FLOWS}
    `;
    for (const row of rows) called.set(row.code, callsOf(row.program).map(({ code }) => code));
    codes = [...new Set(rows.flatMap((row) => called.get(row.code) ?? []))].filter((next) => !called.has(next));
  }
  const leadsBack = (from: string, seen: Set<string>): boolean => {
    if (from === code) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    return (called.get(from) ?? []).some((next) => leadsBack(next, seen));
  };
  const faults = calls.filter((call) => leadsBack(call.code, new Set()))
    .map(({ path }) => ({ path, message: "leads back to this flow" }));
  if (faults.length > 0) throw invalid(byPath(faults));
}
