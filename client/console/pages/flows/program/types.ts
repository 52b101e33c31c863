/** What the server says of flows, steps and runs. */
import { api } from "../../../api.ts";

export type Flow = Awaited<ReturnType<typeof api.flows.find.query>>;
export type StepType = Awaited<ReturnType<typeof api.flows.step_types.query>>[number];
export type Field = StepType["fields"][number];
export type Checked = Awaited<ReturnType<typeof api.flows.check.mutate>>;
export type Run = Awaited<ReturnType<typeof api.flow_processes.find.query>>;
export type StepRecord = Run["steps"][number];

let types: Promise<StepType[]> | undefined;

/** Read once: they change with the server's release only. */
export function stepTypes(): Promise<StepType[]> {
  types ??= api.flows.step_types.query();
  types.catch(() => (types = undefined));
  return types;
}
