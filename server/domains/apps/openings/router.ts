/** Procedures of openings. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { sent } from "../../../database/json.ts";
import { notFound } from "../../../errors.ts";
import { ByUuid } from "../../../input/shapes.ts";
import { router, userProcedure } from "../../../trpc.ts";
import { listOpenings } from "./queries.ts";
import { OfApps, Openings } from "./schema.ts";

const tag = "apps";
const LATE = "Openings are written twice a minute, and kept for 90 days. Previews are not counted.";

export const openings = router({
  list: userProcedure
    .meta({
      rest: "GET /platform/apps/openings.json",
      tag,
      summary: "Read how often apps were opened",
      description: `Without apps that do not exist or are hidden. ${LATE}`,
    })
    .input(OfApps).output(sent(z.array(Openings)))
    .query(({ ctx, input }) => listOpenings(ctx.sql, ctx.viewer, input.ids)),

  find: userProcedure
    .meta({
      rest: "GET /platform/apps/:id/openings.json",
      tag,
      summary: "Read how often an app was opened",
      description: LATE,
    })
    .input(ByUuid).output(Openings)
    .query(({ ctx, input }) => readOpenings(ctx, input.id)),
});

/** @throws {Refusal} 404 */
async function readOpenings({ sql, viewer }: Context, id: string): Promise<Openings> {
  const [found] = (await listOpenings(sql, viewer, [id])).parse();
  if (!found) throw notFound("App");
  return found;
}
