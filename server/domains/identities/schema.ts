/** Shapes of identities, in answers. */
import { z } from "zod";
import { Id, page, Timestamp } from "../../input/shapes.ts";

/** A user as a provider of OpenID Connect names it. */
export const Identity = z.object({
  id: Id,
  user_id: Id,
  issuer: z.string().meta({ examples: ["https://login.example.com"] }),
  subject: z.string().describe("The provider's id of the user; only it and the issuer identify").meta({
    examples: ["248289761001"],
  }),
  email: z.string().nullable().describe("As the provider named it last; it does not identify the user").meta({
    examples: ["ada@example.com"],
  }),
  last_used_at: Timestamp.nullable().describe("The last sign-in with it"),
  created_at: Timestamp,
});
export type Identity = z.output<typeof Identity>;

export const IdentityPage = page(["id", "-id"]).extend({
  user_id: Id.optional().describe("Another user, for admins; the caller by default"),
});
export type IdentityPage = z.output<typeof IdentityPage>;
