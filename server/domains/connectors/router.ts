/** Routes of connectors. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ById, Id } from "../../input/shapes.ts";
import { managerProcedure, router, userProcedure } from "../../trpc.ts";
import { health } from "./health/router.ts";
import { listConnectors, readConnector } from "./queries.ts";
import {
  Connector,
  ConnectorChanges,
  ConnectorPage,
  ConnectorToDelete,
  ListedConnector,
  NewConnector,
  Trial,
  Tried,
} from "./schema.ts";
import { IN_USE } from "../uses/uses.ts";
import { tryConnector } from "./trial.ts";
import { changeConnector, createConnector, removeConnector } from "./write.ts";

export const connectors = router({
  list: userProcedure
    .meta({ rest: "GET /connect/connectors.json", summary: "List connectors" })
    .input(ConnectorPage).output(sent(z.array(ListedConnector)))
    .query(({ ctx, input }) => listConnectors(ctx.sql, ctx.viewer, input)),

  find: userProcedure
    .meta({ rest: "GET /connect/connectors/:id.json", summary: "Read a connector" })
    .input(ById).output(sent(Connector))
    .query(({ ctx, input }) => readConnector(ctx, input.id)),

  create: managerProcedure
    .meta({
      rest: "POST /connect/connectors.json",
      status: 201,
      wrapper: "connector",
      summary: "Create a connector",
      description:
        "`code` defaults to the name. `{name}` in a method's path, query, headers and body is replaced by a parameter " +
        "of the call; `{{` is a literal `{`. Unknown keys of `fields` are refused, because a typo would change their " +
        "meaning.",
    })
    .input(z.object({ connector: NewConnector })).output(sent(Connector))
    .mutation(({ ctx, input }) => createConnector(ctx, input.connector)),

  update: managerProcedure
    .meta({
      rest: "PATCH /connect/connectors/:id.json",
      refuses: [409],
      wrapper: "connector",
      summary: "Update a connector",
      description:
        "`secret_token` null clears the secret; omitting it keeps the present one. A `url` with another origin requires " +
        "the secret again, so that a change cannot send it to another server. `fields` are replaced as a whole.",
    })
    .input(z.object({ id: Id, connector: ConnectorChanges })).output(sent(Connector))
    .mutation(({ ctx, input }) => changeConnector(ctx, input.id, input.connector)),

  delete: managerProcedure
    .meta({
      rest: "DELETE /connect/connectors/:id.json",
      status: 204,
      refuses: [409],
      summary: "Delete a connector",
      description: IN_USE,
    })
    .input(ConnectorToDelete).output(z.void())
    .mutation(({ ctx, input }) => removeConnector(ctx, input)),

  test: managerProcedure
    .meta({
      rest: "POST /connect/connectors/:id/test.json",
      summary: "Call one method of a connector",
      description:
        "200 also if the call fails: `ok` is false and `error` says why if the address cannot be reached, may not be " +
        "called, or answers with a status of 400 or above.",
    })
    .input(Trial).output(sent(Tried))
    .mutation(({ ctx, input }) => tryConnector(ctx, input)),

  health,
});
