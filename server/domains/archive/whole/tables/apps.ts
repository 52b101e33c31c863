/** Apps with their versions, drafts and openings. An app's source is compiled again by the server that imports it. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { fold, Id, LockVersion, Uuid } from "../../../../input/shapes.ts";
import { buildValues } from "../../../apps/queries.ts";
import { NewApp } from "../../../apps/schema.ts";
import { NewDashboard } from "../../../dashboards/schema.ts";
import { byId, byUuid, Moment, type MovedTable } from "../moved.ts";

const Authors = z.record(z.string(), Id);

export const apps: MovedTable = {
  name: "apps",
  with: "account",
  table: part`apps`,
  columns: part`
    id, department_id, name, url_code, description, app_engine, css_engine, source_code, public, active, db_code,
    show_in_module, position, embed_width, embed_height, prompt, actions, action_authors, fields, app_build_time,
    css_build_time, version, lock_version, created_by_id, updated_by_id, created_at, updated_at
  `,
  made: part`name_folded, app_code, css_code, imports, scripts, asks, config`,
  ...byUuid,
  at_once: 20,
  references: {
    department_id: ["department", "null"],
    created_by_id: ["user", "null"],
    updated_by_id: ["user", "null"],
  },
  shape: NewApp.omit({ dashboard_widget: true }).required().extend({
    id: Uuid,
    url_code: z.string().nullable(),
    show_in_module: z.string().nullable(),
    action_authors: Authors,
    app_build_time: z.int().min(0),
    css_build_time: z.int().min(0),
    version: z.int().min(1),
    lock_version: LockVersion,
    created_at: Moment,
    updated_at: Moment,
  }),
  settle({ id, name, action_authors }, { builds, ids }) {
    const build = builds.get(String(id));
    if (!build) throw new Error("an app was not compiled");
    const { app_build_time: _, css_build_time: __, ...built } = buildValues(build);
    const authors = Object.entries(Authors.parse(action_authors))
      .flatMap(([action, user]) => ids.find("user", user) ? [[action, ids.find("user", user)]] : []);
    return { ...built, name_folded: fold(String(name)), action_authors: Object.fromEntries(authors) };
  },
};

/** The ids of apps are the same on every server: a row must not reach an app of another account. */
const settle: MovedTable["settle"] = ({ app_id }, { builds }) => builds.has(String(app_id)) ? {} : undefined;

export const appVersions: MovedTable = {
  name: "app_versions",
  with: "account",
  table: part`app_versions`,
  columns: part`
    app_id, version, lock_version, app_engine, css_engine, source_code, actions, created_by_id, created_at
  `,
  own: (account) => part`app_id in (select id from apps where account_id = ${account})`,
  unowned: true,
  key: part`app_id, version`,
  keyOf: ({ app_id, version }) => part`${String(app_id)}::uuid, ${Number(version)}::int`,
  at_once: 20,
  references: { created_by_id: ["user", "null"] },
  settle,
  shape: NewApp.pick({ app_engine: true, css_engine: true, source_code: true, actions: true }).required()
    .extend({ app_id: Uuid, version: z.int().min(1), created_at: Moment }),
};

export const appDrafts: MovedTable = {
  name: "app_drafts",
  with: "account",
  table: part`app_drafts`,
  columns: part`user_id, app_id, source_code, css_engine, app_engine, base_lock_version, revision, updated_at`,
  key: part`user_id, app_id`,
  keyOf: ({ user_id, app_id }) => part`${Number(user_id)}::int, ${String(app_id)}::uuid`,
  at_once: 20,
  references: { user_id: ["user", "skip"] },
  settle,
  shape: z.object({ user_id: Id, app_id: Uuid, revision: z.int().min(0), updated_at: Moment }),
};

export const appOpenings: MovedTable = {
  name: "app_openings",
  with: "account",
  table: part`app_openings`,
  columns: part`app_id, day, count`,
  key: part`app_id, day`,
  keyOf: ({ app_id, day }) => part`${String(app_id)}::uuid, ${String(day)}::date`,
  at_once: 1_000,
  references: {},
  settle,
  shape: z.object({ app_id: Uuid, day: z.iso.date(), count: z.int().min(0) }),
};

/** Boards of users, and the account's own. */
export const dashboards: MovedTable = {
  name: "dashboards",
  with: "account",
  table: part`dashboards`,
  columns: part`user_id, tiles, updated_at`,
  selected: part`id, user_id, tiles, updated_at`,
  ...byId,
  at_once: 100,
  references: { user_id: ["user", "skip"] },
  shape: NewDashboard.extend({ user_id: Id.nullable(), updated_at: Moment }),
};
