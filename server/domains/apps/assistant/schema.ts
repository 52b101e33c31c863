/** What the assistant is asked with, and its events. */
import { z } from "zod";
import { CSS_ENGINES, ENGINES } from "../../../compiler/compiler.ts";
import { text } from "../../../input/shapes.ts";

export const Question = z.object({
  messages: z.array(z.object({ role: z.enum(["user", "assistant"]), content: text(50_000) })).min(1).max(100)
    .refine((messages) => messages.at(-1)?.role === "user", "must end with a message of the user")
    .describe("The conversation so far").meta({ examples: [[{ role: "user", content: "Make the button red" }]] }),
  source_code: text(200_000).describe("The source as the caller has it, saved or not")
    .meta({ examples: ["<button>Go</button>"] }),
  app_engine: z.enum(ENGINES).optional(),
  css_engine: z.enum(CSS_ENGINES).optional(),
  compile: z.boolean().default(false).describe("Compile the edited source, and tell the model its mistakes"),
});
export type Question = z.output<typeof Question>;

/** A replacement of text that occurs exactly once in the source with all edits before it. */
export interface Edit {
  old: string;
  new: string;
}

export type AssistantEvent =
  | { event: "start"; data: { model: string } }
  | { event: "text"; data: { text: string } }
  | { event: "edit"; data: Edit }
  /** After each round with edits: what is wrong with them. The next round follows, if there is one. */
  | { event: "check"; data: { ok: boolean; messages: string[] } }
  | { event: "done"; data: { edits: number; ok: boolean | null } }
  | { event: "error"; data: { error: string; code: string } };
