/** Reasons that several files write to the ledger. Clients read them. */
export const BY_HAND = "by hand";
export const REPEATED = "a run was repeated";

/** The trigger was deactivated between the claim and the start of the run. */
export const STOPPED = "the trigger was stopped before the run started";

export const WAITS = "waits for the run before";

export const pausedReason = (failures: number, last: string): string =>
  `${failures} failure${failures === 1 ? "" : "s"} in a row; the last one: ${last}`;
