import type { Sql } from "../../database/pool.ts";
import type { Viewer } from "../../viewer.ts";
import { visible } from "../../visibility.ts";

interface OpenApps {
  apps: { name: string; href: string }[];
  /** Of all that the viewer may open. */
  total: number;
}

/** The first active apps that the viewer may open, by name, with their addresses. */
export async function listOpenApps(sql: Sql, viewer: Viewer, limit: number): Promise<OpenApps> {
  const open = sql`from apps where account_id = ${viewer.account_id} and active and ${visible(sql, viewer)}`;
  const [row] = await sql<OpenApps[]>`
    select
      (select count(*)::int ${open}) as total,
      (
        select coalesce(json_agg(json_build_object('name', name, 'href', '/a/' || coalesce(url_code, id::text))), '[]')
        from (select id, name, url_code ${open} order by name_folded, id limit ${limit}) a
      ) as apps
  `;
  return row ?? { apps: [], total: 0 };
}
