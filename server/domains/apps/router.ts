/** Procedures of apps: their sources, their versions, and the actions that their pages call. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { ByUuid, Uuid } from "../../input/shapes.ts";
import { guestProcedure, managerProcedure, pageProcedure, router, userProcedure } from "../../trpc.ts";
import { actionStatus, callAction, proveActionCaller } from "./actions.ts";
import { listApps } from "./queries.ts";
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
import { drafts } from "./drafts/router.ts";
import { openings } from "./openings/router.ts";
import { createPreview } from "./previews/create.ts";
import { NewPreview, Preview } from "./previews/schema.ts";
import { readApp, readVersion, readVersions } from "./read.ts";
import { changeApp, createApp, removeApp, restoreVersion } from "./write.ts";

/** A hidden app and a missing action get the same answer, so that callers cannot tell them apart. */
const ACTION_NAMES = { id: "Action", action_name: "Action", flow_process_id: "Flow process" };

export const apps = router({
  list: guestProcedure
    .meta({
      rest: "GET /platform/apps.json",
      summary: "List apps",
      description: "Without `source_code`. A guest gets those that it may open: the active ones.",
    })
    .input(AppPage).output(sent(z.array(ListedApp)))
    .query(({ ctx, input }) => listApps(ctx.sql, ctx.viewer, input)),

  find: userProcedure
    .meta({ rest: "GET /platform/apps/:id.json", summary: "Read an app" })
    .input(ByUuid).output(sent(App))
    .query(({ ctx, input }) => readApp(ctx, input.id)),

  create: managerProcedure
    .meta({
      counts_as: "compiles",
      rest: "POST /platform/apps.json",
      status: 201,
      wrapper: "app",
      summary: "Create an app",
      description:
        "A source that does not compile is refused with 422. `source_code` has one message for each error: " +
        "`line:column message`, then the line and a caret.",
    })
    .input(z.object({ app: NewApp })).output(sent(App))
    .mutation(({ ctx, input }) => createApp(ctx, input.app)),

  update: managerProcedure
    .meta({
      counts_as: "compiles",
      rest: "PATCH /platform/apps/:id.json",
      refuses: [409],
      wrapper: "app",
      summary: "Update an app",
      description:
        "Changes only the fields that are sent. A change of source, engines or actions keeps the previous version.",
    })
    .input(z.object({ id: Uuid, app: AppChanges })).output(sent(App))
    .mutation(({ ctx, input }) => changeApp(ctx, input.id, () => input.app, input.app.lock_version)),

  delete: managerProcedure
    .meta({ rest: "DELETE /platform/apps/:id.json", status: 204, summary: "Delete an app" })
    .input(ByUuid).output(z.void())
    .mutation(({ ctx, input }) => removeApp(ctx, input.id)),

  preview: managerProcedure
    .meta({
      counts_as: "compiles",
      rest: "POST /platform/apps/preview.json",
      status: 201,
      wrapper: "app",
      summary: "Compile a source and open it, without saving it",
      description:
        "Compiles as a save does, with the same refusals. The result opens for the caller only, in a frame " +
        "of a page of this site, and ends after 10 minutes; a user's newest 20 are kept. The page reports its console, " +
        "its errors and its first render to the page around (docs/apps.md). With `id` its `platform` module works as " +
        "in that app.",
    })
    .input(z.object({ app: NewPreview })).output(Preview)
    .mutation(({ ctx, input }) => createPreview(ctx, input.app)),

  drafts,

  openings,

  replace: managerProcedure
    .meta({
      counts_as: "compiles",
      rest: "PATCH /platform/apps/:id/replace.json",
      refuses: [409],
      ignores_unknown: true,
      summary: "Edit a part of an app",
      description: "`old` must occur exactly once in the field, unless `replace_all` is true. `fields` is edited as " +
        "its JSON, indented by two spaces. On failure nothing changes.",
    })
    .input(Replacement).output(sent(App))
    .mutation(({ ctx, input }) => changeApp(ctx, input.id, (app) => replaced(app, input), input.lock_version)),

  versions: userProcedure
    .meta({ rest: "GET /platform/apps/:id/versions.json", summary: "List an app's earlier versions" })
    .input(VersionPage).output(sent(z.array(ListedVersion)))
    .query(({ ctx, input }) => readVersions(ctx, input.id, input)),

  version: userProcedure
    .meta({ rest: "GET /platform/apps/:id/versions/:version.json", summary: "Read an app's earlier version" })
    .input(ByVersion).output(sent(Version))
    .query(({ ctx, input }) => readVersion(ctx, input.id, input.version)),

  restore: managerProcedure
    .meta({
      counts_as: "compiles",
      rest: "POST /platform/apps/:id/versions/:version/restore.json",
      refuses: [409, 422],
      summary: "Restore an app's earlier version",
      description: "The replaced state becomes a version, too.",
    })
    .input(ByVersion).output(sent(App))
    .mutation(({ ctx, input }) => restoreVersion(ctx, input.id, input.version)),

  call_action: pageProcedure
    .meta({
      counts_as: "actions",
      rest: "POST /platform/apps/:id/action/:action_name",
      whole_body: "params",
      names: ACTION_NAMES,
      refuses: [409],
      summary: "Call an action",
      description: "Runs the action's flow with the body as its input, and waits for its end for at most " +
        "`ACTION_WAIT_MS`. After that it answers `pending`, and the caller polls the status. A caller without a login " +
        "may call public actions of active public apps only, and the run may use public connector methods only. A " +
        "viewer who may see the app may call its actions, regardless of the flow's department. The user who wrote the " +
        "action last must see its flow at the time of the call; otherwise the flow does not exist. With " +
        "the flow's `max_at_once` and `overlap` `skip` it is refused with 409 while as many runs are in progress. Scope: " +
        "`apps:write`.",
    })
    .use(({ ctx, next }) => (proveActionCaller(ctx, "write", ctx.call.params?.id), next()))
    .input(ActionCall).output(ActionAnswer)
    .mutation(({ ctx, input }) => callAction(ctx, input)),

  action_status: pageProcedure
    .meta({
      rest: "GET /platform/apps/:id/action/:action_name/status",
      names: ACTION_NAMES,
      summary: "Poll the status of a call",
      description: "For callers who may call the action. Scope: `apps:read`.",
    })
    .use(({ ctx, next }) => (proveActionCaller(ctx, "read", ctx.call.params?.id), next()))
    .input(ActionPoll).output(ActionAnswer)
    .query(({ ctx, input }) => actionStatus(ctx, input)),
});
