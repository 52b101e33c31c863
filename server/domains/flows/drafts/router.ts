/** Procedures of drafts of flows: each user has one for each flow, and sees only its own. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { type Json, sent } from "../../../database/json.ts";
import { conflict, notFound } from "../../../errors.ts";
import { ById, Id } from "../../../input/shapes.ts";
import { managerProcedure, router } from "../../../trpc.ts";
import { readFlow } from "../read.ts";
import { discardFlowDraft, findFlowDraft, putFlowDraft } from "./queries.ts";
import { DiscardFlowDraft, FlowDraft, NewFlowDraft, SavedFlowDraft } from "./schema.ts";

const tag = "flows";

export const drafts = router({
  find: managerProcedure
    .meta({
      rest: "GET /connect/flows/:id/draft.json",
      personal: true,
      tag,
      summary: "Read the caller's draft of a flow",
      description: "404 also where there is none.",
    })
    .input(ById).output(sent(FlowDraft))
    .query(({ ctx, input }) => readDraft(ctx, input.id)),

  put: managerProcedure
    .meta({
      rest: "PUT /connect/flows/:id/draft.json",
      wrapper: "draft",
      refuses: [409],
      tag,
      summary: "Keep what the caller has typed into a flow's program",
      description:
        "The flow stays as it is. A write with an older `revision` than the draft's is refused with 409 and the draft " +
        "under `current`, which is null after a discard. The same write may be repeated.",
    })
    .input(z.object({ id: Id, draft: NewFlowDraft })).output(sent(SavedFlowDraft))
    .mutation(async ({ ctx, input: { id, draft } }) =>
      await putFlowDraft(ctx.sql, ctx.viewer, id, draft) ?? await refuseDraft(ctx, id)
    ),

  delete: managerProcedure
    .meta({
      rest: "DELETE /connect/flows/:id/draft.json",
      status: 204,
      refuses: [409],
      tag,
      summary: "Discard the caller's draft of a flow",
      description: "204 also where there is none.",
    })
    .input(DiscardFlowDraft).output(z.void())
    .mutation(async ({ ctx, input: { id, revision } }) => {
      if (!await discardFlowDraft(ctx.sql, ctx.viewer, id, revision)) await refuseDraft(ctx, id);
    }),
});

/** @throws {Refusal} 404 */
async function readDraft(ctx: Context, id: number): Promise<Json<FlowDraft>> {
  const draft = await findFlowDraft(ctx.sql, ctx.viewer, id);
  if (draft) return draft;
  await readFlow(ctx, id);
  throw notFound("Draft");
}

/** @throws {Refusal} 404 without the flow, else 409 */
async function refuseDraft(ctx: Context, id: number): Promise<never> {
  await readFlow(ctx, id);
  const current = (await findFlowDraft(ctx.sql, ctx.viewer, id))?.parse() ?? null;
  throw conflict(current, "The draft has been written or discarded with a newer revision");
}
