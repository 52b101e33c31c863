import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ByUuid, Uuid } from "../../input/shapes.ts";
import { guestProcedure, managerProcedure, router, userProcedure } from "../../trpc.ts";
import { actionStatus, callAction } from "./actions.ts";
import { listApps, listVersions } from "./queries.ts";
import { replaced } from "./replace.ts";
import {
  ActionAnswer,
  ActionCall,
  ActionPoll,
  App,
  AppChanges,
  AppPage,
  ByVersion,
  ListedApp,
  ListedVersion,
  NewApp,
  Replacement,
  Version,
  VersionPage,
} from "./schema.ts";
import { changeApp, createApp, readApp, readVersion, removeApp, restoreVersion } from "./write.ts";

export const apps = router({
  list: userProcedure
    .meta({ rest: "GET /platform/apps.json", summary: "List apps", description: "Without their source." })
    .input(AppPage).output(sent(z.array(ListedApp)))
    .query(({ ctx, input }) => listApps(ctx.sql, ctx.viewer, input)),

  find: userProcedure
    .meta({ rest: "GET /platform/apps/:id.json", summary: "Read an app" })
    .input(ByUuid).output(sent(App))
    .query(({ ctx, input }) => readApp(ctx, input.id)),

  create: managerProcedure
    .meta({
      rest: "POST /platform/apps.json",
      status: 201,
      wrapper: "app",
      summary: "Create an app",
      description: "A source that does not compile is refused under `source_code`, one message an error: " +
        "`line:column message`, then the line and a caret.",
    })
    .input(z.object({ app: NewApp })).output(sent(App))
    .mutation(({ ctx, input }) => createApp(ctx, input.app)),

  update: managerProcedure
    .meta({
      rest: "PATCH /platform/apps/:id.json",
      refuses: [409],
      wrapper: "app",
      summary: "Update an app",
      description: "Only what is sent changes. A change of source, engines or actions keeps the version before it.",
    })
    .input(z.object({ id: Uuid, app: AppChanges })).output(sent(App))
    .mutation(({ ctx, input }) => changeApp(ctx, input.id, () => input.app)),

  delete: managerProcedure
    .meta({ rest: "DELETE /platform/apps/:id.json", status: 204, summary: "Delete an app" })
    .input(ByUuid).output(z.void())
    .mutation(({ ctx, input }) => removeApp(ctx, input.id)),

  replace: managerProcedure
    .meta({
      rest: "PATCH /platform/apps/:id/replace.json",
      refuses: [409],
      summary: "Edit a part of an app",
      description: "`old` must occur exactly once in the field, unless `replace_all` is true. `fields` is edited as " +
        "its JSON, indented by two spaces. On failure nothing changes.",
    })
    .input(Replacement).output(sent(App))
    .mutation(({ ctx, input }) => changeApp(ctx, input.id, (app) => replaced(app, input))),

  versions: userProcedure
    .meta({ rest: "GET /platform/apps/:id/versions.json", summary: "List an app's earlier versions" })
    .input(VersionPage).output(sent(z.array(ListedVersion)))
    .query(async ({ ctx, input }) => {
      await readApp(ctx, input.id);
      return await listVersions(ctx.sql, ctx.viewer.account_id, input.id, input);
    }),

  version: userProcedure
    .meta({ rest: "GET /platform/apps/:id/versions/:version.json", summary: "Read an app's earlier version" })
    .input(ByVersion).output(sent(Version))
    .query(({ ctx, input }) => readVersion(ctx, input.id, input.version)),

  restore: managerProcedure
    .meta({
      rest: "POST /platform/apps/:id/versions/:version/restore.json",
      refuses: [409, 422],
      summary: "Restore an app's earlier version",
      description: "What it replaces becomes a version in turn.",
    })
    .input(ByVersion).output(sent(App))
    .mutation(({ ctx, input }) => restoreVersion(ctx, input.id, input.version)),

  // Over REST a caller needs no login for a public action: http/actions.ts.
  call_action: guestProcedure
    .meta({ summary: "Call an action" })
    .input(ActionCall).output(ActionAnswer)
    .mutation(({ ctx, input }) => callAction(ctx, ctx, input, input.params, input.idempotency_key)),

  action_status: guestProcedure
    .meta({ summary: "Poll a call" })
    .input(ActionPoll).output(ActionAnswer)
    .query(({ ctx, input }) => actionStatus(ctx, ctx, input, input.flow_process_id)),
});
