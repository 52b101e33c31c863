/** The routes of all procedures as the package carries them: client/package/procedures.ts reads them. */
import type { Route } from "../../server/http/rest/routes.ts";

export const routeLines = (routes: readonly Route[]): string =>
  routes.map(({ name, method, path, type, takes_key, meta: { whole_body } }) => {
    const is_safe = type === "query" || method === "PUT" || method === "DELETE";
    return [
      name,
      method,
      path,
      ...whole_body === undefined ? [] : [`=${whole_body}`],
      ...is_safe ? ["s"] : [],
      ...takes_key ? ["k"] : [],
    ].join(" ");
  }).join("\n");
