/** Answering the question of a run. */
import type { Context } from "../../context.ts";
import { conflict, type Fields, invalid, notFound } from "../../errors.ts";
import type { Flows } from "../../flow/flow.ts";
import { isStorable, NOT_STORABLE } from "../../input/shapes.ts";
import { faultOf, type Log } from "../../log.ts";
import type { Sql } from "../../database/pool.ts";
import { findForViewer, updateAnswer } from "./queries.ts";
import type { Answer, Approval, NewAnswer } from "./schema.ts";

const OVER = "The question was answered, or its time or its run is over";

/** @throws {Refusal} 404; 409 if the approval was answered or has expired, or its run has ended; 422 by field */
export async function answerAsViewer({ sql, viewer, flows, log }: Context, answer: NewAnswer): Promise<Answer> {
  const found = await findForViewer(sql, viewer, answer.id);
  if (!found) throw notFound("Approval");
  const { open, ...approval } = found;
  if (!open) throw conflict(approval, OVER);
  return await answerOnce({ sql, flows, log }, viewer.account_id, approval, answer, viewer.user_id);
}

/**
 * @param user_id null for an answer by the link
 * @throws {Refusal} 409 if it was answered meanwhile; 422 by field
 */
export async function answerOnce(
  { sql, flows, log }: { sql: Sql; flows: Flows; log: Log },
  account_id: number,
  approval: Approval,
  answer: NewAnswer,
  user_id: number | null,
): Promise<Answer> {
  const faults = faultsOf(approval, answer);
  if (Object.keys(faults).length > 0) throw invalid(faults);
  const answered = await updateAnswer(sql, account_id, answer, user_id);
  if (!answered) throw conflict(approval, OVER);
  // If this fails, the next sweep wakes the run, which is due.
  await flows.wake(answered.flow_process_id)
    .catch((error) => log.warn("the run of an answer was not woken", faultOf(error)));
  return answered;
}

function faultsOf({ choices, form }: Approval, { choice, values }: NewAnswer): Fields {
  const faults: Fields = {};
  if (!choices.includes(choice)) faults.choice = [`must be one of ${choices.join(", ")}`];
  for (const [name, value] of Object.entries(values)) {
    const field = Object.hasOwn(form, name) ? form[name] : undefined;
    if (!field) faults[`values.${name}`] = ["is not a known field"];
    else if (value !== null && typeof value !== (field.type === "text" ? "string" : field.type)) {
      faults[`values.${name}`] = [`must be a ${field.type}`];
    } else if (typeof value === "string" && !isStorable(value)) faults[`values.${name}`] = [NOT_STORABLE];
  }
  for (const [name, { required }] of Object.entries(form)) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined;
    if (required && (value === undefined || value === null || typeof value === "string" && value.trim() === "")) {
      faults[`values.${name}`] = ["can't be blank"];
    }
  }
  return faults;
}
