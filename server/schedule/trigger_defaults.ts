/** Defaults of a trigger's settings. */
export const CATCH_UP_S = 3_600;
export const MAX_FAILURES = 10;
