/** Procedures of connectors' health. */
import { z } from "zod";
import type { Context } from "../../../context.ts";
import { sent } from "../../../database/json.ts";
import { notFound } from "../../../errors.ts";
import { HEALTH_KEPT_DAYS } from "../../../connectors/connectors.ts";
import { router, userProcedure } from "../../../trpc.ts";
import { listHealth } from "./queries.ts";
import { ConnectorHealth, OfConnector, OfConnectors } from "./schema.ts";

const tag = "connectors";
const LATE =
  `Counts are written every two seconds, and kept for ${HEALTH_KEPT_DAYS} days. A call that was not sent, or ` +
  "that its caller cancelled, is not counted.";

export const health = router({
  list: userProcedure
    .meta({
      rest: "GET /connect/connectors/health.json",
      tag,
      summary: "Read calls, failures and durations of connectors by hour",
      description: `Without connectors that do not exist or are hidden. ${LATE}`,
    })
    .input(OfConnectors).output(sent(z.array(ConnectorHealth)))
    .query(({ ctx, input }) => listHealth(ctx.sql, ctx.viewer, input.ids, input.hours)),

  find: userProcedure
    .meta({
      rest: "GET /connect/connectors/:id/health.json",
      tag,
      summary: "Read calls, failures and durations of a connector by hour",
      description: LATE,
    })
    .input(OfConnector).output(ConnectorHealth)
    .query(({ ctx, input }) => readHealth(ctx, input)),
});

/** @throws {Refusal} 404 */
async function readHealth({ sql, viewer }: Context, { id, hours }: z.output<typeof OfConnector>) {
  const [found] = (await listHealth(sql, viewer, [id], hours)).parse();
  if (!found) throw notFound("Connector");
  return found;
}
