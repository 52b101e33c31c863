/** Shapes of sessions, in requests and answers. */
import { z } from "zod";
import { Id, page, text, Timestamp } from "../../input/shapes.ts";

/** A session in lists. */
export const Session = z.object({
  id: Id,
  device: z.string().describe("Browser and system, by the `User-Agent` of the sign-in")
    .meta({ examples: ["Firefox on Linux"] }),
  address: z.string().describe("IP address of the sign-in").meta({ examples: ["192.0.2.7"] }),
  current: z.boolean().describe("Whether this request uses it").meta({ examples: [true] }),
  last_seen_at: Timestamp.describe("Updated with a delay of up to a minute"),
  created_at: Timestamp,
});
export type Session = z.output<typeof Session>;

export const NewSession = z.object({
  login: text(255).refine((value) => value.trim() !== "", "can't be blank").describe(
    "Login or e-mail address, in any case of letters",
  ).meta({ examples: ["ada@example.com"] }),
  password: text(1024).refine((value) => value !== "", "can't be blank").meta({
    examples: ["correct horse battery staple"],
  }),
});
export type NewSession = z.output<typeof NewSession>;

export const SessionPage = page(["id", "-id"]);
export type SessionPage = z.output<typeof SessionPage>;
