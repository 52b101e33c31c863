import type { Records } from "../records.ts";
export const records: Records = () => ({});
