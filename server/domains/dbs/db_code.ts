/** The name of a database in paths and in programs. */
import { z } from "zod";

export const DbCode = z.string().regex(/^[a-z0-9_]{1,100}$/).meta({ examples: ["guestbook"] });
