/** SQL of previews. The key in a preview's address is kept as its SHA-256 only. */
import { createHash, randomBytes } from "node:crypto";
import type { Build, CssEngine, Engine } from "../../../compiler/compiler.ts";
import { oneJson } from "../../../database/lists.ts";
import type { Sql } from "../../../database/pool.ts";
import type { Viewer } from "../../../viewer.ts";
import { visible } from "../../../visibility.ts";

const LIFETIME_S = 10 * 60;

/** Each typing pause makes one. The newest of a user are kept. */
const KEPT = 20;

const hashOf = (key: string) => createHash("sha256").update(key).digest();

export interface Previewed {
  name: string;
  db_code: string | null;
  app_engine: Engine;
  css_engine: CssEngine;
}

/** What a preview takes from its app. */
export async function findPreviewed(sql: Sql, viewer: Viewer, id: string): Promise<Previewed | undefined> {
  const [app] = await sql<Previewed[]>`
    select name, db_code, app_engine, css_engine
    from apps
    where id = ${id}
      and account_id = ${viewer.account_id}
      and ${visible(sql, viewer)}
  `;
  return app;
}

interface NewRow extends Previewed {
  app_id: string | null;
  build: Build;
}

export async function insertPreview(
  sql: Sql,
  viewer: Viewer,
  { app_id, name, db_code, app_engine, css_engine, build }: NewRow,
): Promise<{ key: string; expires_at: string }> {
  const key = randomBytes(32).toString("base64url");
  const { code, css, imports, scripts, positions = null } = build;
  const row = await oneJson<{ expires_at: string }>(
    sql,
    sql`select iso(expires_at) as expires_at from inserted`,
    sql`
      with pruned as (
        delete from app_previews
        where hash = any(array(
          select hash
          from app_previews
          where user_id = ${viewer.user_id}
          order by created_at desc
          offset ${KEPT - 1}
          limit 100
        ))
      ),
      inserted as (
        insert into app_previews (
          hash, account_id, user_id, app_id, name, db_code, app_engine, css_engine, code, css, imports, scripts,
          positions, expires_at
        )
        values (
          ${hashOf(key)}, ${viewer.account_id}, ${viewer.user_id}, ${app_id}, ${name}, ${db_code}, ${app_engine},
          ${css_engine}, ${code}, ${css}, ${imports}, ${scripts}, ${positions},
          now() + make_interval(secs => ${LIFETIME_S})
        )
        returning expires_at
      )
    `,
  );
  if (!row) throw new Error("an insert returned no row");
  return { key, ...row.parse() };
}

/** The parts of a preview's page. */
export interface PreviewPage extends Previewed {
  app_id: string | null;
  imports: string[];
  scripts: string[];
  /** The document of an html app; otherwise empty. */
  document: string;
  has_style: boolean;
  has_positions: boolean;
}

/** A preview that this viewer has made. */
export async function findPreviewPage(sql: Sql, viewer: Viewer, key: string): Promise<PreviewPage | undefined> {
  const [page] = await sql<PreviewPage[]>`
    select
      app_id, name, db_code, app_engine, css_engine, imports, scripts, css <> '' as has_style,
      positions is not null as has_positions, case when app_engine = 'html' then code else '' end as document
    from app_previews
    where hash = ${hashOf(key)}
      and account_id = ${viewer.account_id}
      and user_id = ${viewer.user_id}
      and expires_at > now()
  `;
  return page;
}

/** A file of a preview. Its page's requests carry no credentials: the key alone opens it. */
export async function findPreviewFile(
  sql: Sql,
  key: string,
  column: "code" | "css" | "positions",
): Promise<string | undefined> {
  const [file] = await sql<{ content: string | null }[]>`
    select ${sql(column)} as content
    from app_previews
    where hash = ${hashOf(key)}
      and expires_at > now()
  `;
  return file?.content ?? undefined;
}

/** @returns how many were deleted, at most `at_once` */
export async function sweepPreviews(sql: Sql, at_once: number): Promise<number> {
  const { count } = await sql`
    delete from app_previews p
    where p.hash = any(array(
      select hash from app_previews where expires_at < now() limit ${at_once}
    ))
  `;
  return count;
}
