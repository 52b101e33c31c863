/** SQL of the connectors and databases that programs name. */
import type { Method } from "../../connectors/connectors.ts";
import type { Viewer } from "../../viewer.ts";
import type { Sql } from "../../database/pool.ts";
import { visible } from "../../visibility.ts";

export interface KnownConnector {
  code: string;
  /** As stored, by name. */
  methods: Record<string, Partial<Method>>;
}

/** The connectors with these codes that the viewer may see. */
export const listNamedConnectors = (sql: Sql, viewer: Viewer, codes: string[]): Promise<KnownConnector[]> =>
  sql<KnownConnector[]>`
    select code, coalesce(fields -> 'methods', '{}') as methods
    from connectors
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
    order by code
    limit ${codes.length}
  `;

export interface NamedDb {
  code: string;
  /** As stored. */
  schema: Record<string, unknown>;
}

/** The databases with these codes that the viewer may see. */
export const listNamedDbs = (sql: Sql, viewer: Viewer, codes: string[]): Promise<NamedDb[]> =>
  sql<NamedDb[]>`
    select code, schema
    from dbs
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
    order by code
    limit ${codes.length}
  `;

/** The flows with these codes that the viewer may see. */
export const listNamedFlows = (sql: Sql, viewer: Viewer, codes: string[]): Promise<{ code: string }[]> =>
  sql<{ code: string }[]>`
    select code
    from flows
    where account_id = ${viewer.account_id}
      and code = any(${codes}::text[])
      and ${visible(sql, viewer)}
    order by code
    limit ${codes.length}
  `;
