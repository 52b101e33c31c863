/** Shapes of drafts: the program that a user has typed and not saved. */
import { z } from "zod";
import { Id, LockVersion, text, Timestamp } from "../../../input/shapes.ts";
import { Revision } from "../../apps/drafts/schema.ts";

const BaseVersion = LockVersion.describe("The flow's `lock_version` that the draft was made from");
/** A program of 1 MiB, with room for spaces. */
const ProgramText = text(1_500_000).meta({ examples: ["[]"] });

export const NewFlowDraft = z.object({
  program_text: ProgramText.describe("The program as text; may be blank and need be neither JSON nor right")
    .meta({ examples: ['[{"type": "return"'] }),
  base_text: ProgramText.default("").describe("The saved program that it was made from, for a comparison"),
  base_lock_version: BaseVersion,
  revision: Revision,
});
export type NewFlowDraft = z.output<typeof NewFlowDraft>;

/** A draft without its texts, which its writer has just sent. */
export const SavedFlowDraft = z.object({
  flow_id: Id,
  base_lock_version: BaseVersion,
  lock_version: LockVersion.describe("The flow's; greater than `base_lock_version` if it has been changed since"),
  revision: Revision,
  updated_at: Timestamp,
});
export type SavedFlowDraft = z.output<typeof SavedFlowDraft>;

export const FlowDraft = SavedFlowDraft.extend({
  program_text: NewFlowDraft.shape.program_text,
  base_text: ProgramText,
});
export type FlowDraft = z.output<typeof FlowDraft>;

export const DiscardFlowDraft = z.object({
  id: Id,
  revision: Revision.optional().describe("Refuses with 409 if the draft has a newer one. Without it any is discarded"),
});
