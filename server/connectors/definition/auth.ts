/** How a connector authenticates: where its requests carry the secret. Source: design, flows, "Connector". */
import { z } from "zod";
import { text } from "../../input/shapes.ts";
import { HeaderName, QueryName } from "./checks.ts";

export const Auth = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("none") }),
  z.strictObject({ type: z.literal("bearer") }),
  z.strictObject({
    type: z.literal("basic"),
    username: text(255).refine((name) => !name.includes(":"), "must have no colon"),
  }),
  z.strictObject({ type: z.literal("header"), name: HeaderName }),
  z.strictObject({ type: z.literal("query"), name: QueryName }),
]);
export type Auth = z.output<typeof Auth>;

/** @returns the lower-case name of the header that carries the secret; undefined if none does */
export function secretHeader(auth: Auth | undefined): string | undefined {
  if (auth?.type === "bearer" || auth?.type === "basic") return "authorization";
  return auth?.type === "header" ? auth.name.toLowerCase() : undefined;
}
