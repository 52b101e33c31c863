/** SQL of embedded apps. */
import { UUID } from "../../database/uuid_v7.ts";
import { listJson, oneJson, slice } from "../../database/lists.ts";
import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";
import type { Embed, EmbedPage, Target, TargetPage } from "./schema.ts";

/** Active apps that open for this caller: public ones for anyone, others for a viewer who sees them. */
export const opensFor = (sql: Sql, account: number, viewer: Viewer | undefined) =>
  sql`account_id = ${account} and active and (public or ${viewer ? visible(sql, viewer) : sql`false`})`;

/** @param base_url without a trailing slash. An id names an app in any account, which its `url_code` does not. */
const columns = (sql: Sql, base_url: string) =>
  sql`
    id, name as title, ${`${base_url}/a/`} || id as url, position, embed_width as width, embed_height as height
  `;

/** One page of the apps at a module or page, by position and then by name. */
export function listEmbeds(
  sql: Sql,
  base_url: string,
  account: number,
  viewer: Viewer | undefined,
  page: EmbedPage,
) {
  const chosen = sql`from apps where ${opensFor(sql, account, viewer)} and show_in_module = ${page.target}`;
  return listJson<Embed>(
    sql,
    sql`select ${columns(sql, base_url)} ${chosen} order by position, name_folded, id ${slice(sql, page)}`,
    sql`select count(*) ${chosen}`,
  );
}

/** One page of the modules and pages that show at least one app to this caller, by name. */
export function listTargets(sql: Sql, account: number, viewer: Viewer | undefined, page: TargetPage) {
  const shown = sql`from apps where ${opensFor(sql, account, viewer)} and show_in_module is not null`;
  return listJson<Target>(
    sql,
    sql`
      select show_in_module as target, count(*) as apps ${shown}
      group by show_in_module
      order by show_in_module collate "C"
      ${slice(sql, page)}
    `,
    sql`select count(distinct show_in_module) ${shown}`,
  );
}

/** The app with this id or code. @param name lower case */
export const findEmbed = (
  sql: Sql,
  base_url: string,
  account: number,
  viewer: Viewer | undefined,
  name: string,
) =>
  oneJson<Embed>(
    sql,
    sql`
      select ${columns(sql, base_url)}
      from apps
      where ${opensFor(sql, account, viewer)}
        and ${UUID.test(name) ? sql`id = ${name}` : sql`url_code = ${name}`}
    `,
  );
