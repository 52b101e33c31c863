/** The lines of the log that admins of the server follow, and what processes send each other. */
import { z } from "zod";
import { LEVELS } from "../../log.ts";

/** Which lines of the log are followed. */
export const LogFilter = z.strictObject({
  request_id: z.string().regex(/^[\w.:-]{1,64}$/, "is no id of a request").optional(),
  level: z.enum(LEVELS).optional(),
  q: z.string().min(1).max(200).optional(),
});

const ProcessName = z.object({ number: z.int(), pid: z.int() });
export type ProcessName = z.output<typeof ProcessName>;

/** A line of the log, and the process that wrote it. */
const ProcessLine = z.object({
  time: z.string(),
  level: z.enum(LEVELS),
  event: z.string(),
  request_id: z.string().nullable(),
  detail: z.record(z.string(), z.unknown()),
  process: ProcessName,
});
export type ProcessLine = z.output<typeof ProcessLine>;

/** What processes ask each other, and answer. */
export const PeerQuestion = z.object({ from: z.string(), follower: z.string(), filter: LogFilter });
export const PeerAnswer = z.object({ follower: z.string(), lines: z.array(ProcessLine), left_out: z.int() });
