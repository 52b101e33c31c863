/** The core of the bindings, which their bundles share. */
export { liveAction, liveRun } from "./live_run.ts";
export { liveRecords } from "./live_records.ts";
