/** Addresses of routes, for tests of all routes. */
import { type Route, routesOf } from "../../server/http/rest/routes.ts";
import { loadRouter } from "../../server/router.ts";

/** Routes that need a login. Actions and public methods, which need none, have tests of their own. */
export const ROUTES: readonly Route[] = routesOf(await loadRouter()).filter(({ meta }) => meta.role);

/** A UUID that no object has. */
export const NO_UUID = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";

/** Values of a path's parameters. The defaults name objects that do not exist. */
export interface Named {
  id?: string | number | undefined;
  db_code?: string | undefined;
}

/** The route's address with its parameters filled in. */
export function addressOf({ path }: Pick<Route, "path">, named: Named = {}): string {
  const {
    id = /^\/platform\/|\/(flow_processes|approvals|agents|agent_confirmations)\//.test(path) ? NO_UUID : 999_999,
    db_code = "there_is_none",
  } = named;
  return path.replace(":id", `${id}`).replace(":db_code", db_code).replace(":version", "1");
}

/** Whether the route names an object, which must exist. */
export const namesSomething = ({ params }: Pick<Route, "params">): boolean => params.length > 0;
