/** Shapes of passwords, in requests. */
import { z } from "zod";
import { text } from "../../input/shapes.ts";

/** A password that a person chooses. `new_password.ts` also refuses those that are easy to guess. */
export const NewPassword = text(1024).refine((value) => value.length >= 8, "is too short (minimum is 8 characters)")
  .describe("Refused if it is easy to guess; stored only as its scrypt hash")
  .meta({ examples: ["correct horse battery staple"] });

export const PasswordChange = z.object({
  current: text(1024).refine((value) => value !== "", "can't be blank").meta({ examples: ["the password until now"] }),
  new: NewPassword,
});
export type PasswordChange = z.output<typeof PasswordChange>;
