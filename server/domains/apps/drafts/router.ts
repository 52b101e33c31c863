/** Procedures of drafts: each user has one for each app, and sees only its own. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { type Json, sent } from "../../../database/json.ts";
import { conflict, notFound } from "../../../errors.ts";
import { ByUuid, Uuid } from "../../../input/shapes.ts";
import { managerProcedure, router } from "../../../trpc.ts";
import { readApp } from "../read.ts";
import { discardDraft, findDraft, listDrafts, putDraft } from "./queries.ts";
import { Discard, Draft, DraftPage, ListedDraft, NewDraft, SavedDraft } from "./schema.ts";

const tag = "apps";

export const drafts = router({
  list: managerProcedure
    .meta({ rest: "GET /platform/drafts.json", personal: true, tag, summary: "List the caller's drafts" })
    .input(DraftPage).output(sent(z.array(ListedDraft)))
    .query(({ ctx, input }) => listDrafts(ctx.sql, ctx.viewer, input)),

  find: managerProcedure
    .meta({
      rest: "GET /platform/apps/:id/draft.json",
      personal: true,
      tag,
      summary: "Read the caller's draft of an app",
      description: "404 also where there is none.",
    })
    .input(ByUuid).output(sent(Draft))
    .query(({ ctx, input }) => readDraft(ctx, input.id)),

  put: managerProcedure
    .meta({
      rest: "PUT /platform/apps/:id/draft.json",
      wrapper: "draft",
      refuses: [409],
      tag,
      summary: "Keep what the caller has typed into an app's source",
      description:
        "The app stays as it is. A write with an older `revision` than the draft's is refused with 409 and " +
        "the draft under `current`, which is null after a discard. The same write may be repeated.",
    })
    .input(z.object({ id: Uuid, draft: NewDraft })).output(sent(SavedDraft))
    .mutation(async ({ ctx, input: { id, draft } }) =>
      await putDraft(ctx.sql, ctx.viewer, id, draft) ?? await refuseDraft(ctx, id)
    ),

  delete: managerProcedure
    .meta({
      rest: "DELETE /platform/apps/:id/draft.json",
      status: 204,
      refuses: [409],
      tag,
      summary: "Discard the caller's draft of an app",
      description: "204 also where there is none.",
    })
    .input(Discard).output(z.void())
    .mutation(async ({ ctx, input: { id, revision } }) => {
      if (!await discardDraft(ctx.sql, ctx.viewer, id, revision)) await refuseDraft(ctx, id);
    }),
});

/** @throws {Refusal} 404 */
async function readDraft(ctx: Context, id: string): Promise<Json<Draft>> {
  const draft = await findDraft(ctx.sql, ctx.viewer, id);
  if (draft) return draft;
  await readApp(ctx, id);
  throw notFound("Draft");
}

/** @throws {Refusal} 404 without the app, else 409 */
async function refuseDraft(ctx: Context, id: string): Promise<never> {
  await readApp(ctx, id);
  const current = (await findDraft(ctx.sql, ctx.viewer, id))?.parse() ?? null;
  throw conflict(current, "The draft has been written or discarded with a newer revision");
}
