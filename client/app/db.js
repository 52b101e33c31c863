// @ts-check
/** The `db()` of the `platform` module: the public methods of a database. */
import { PlatformError } from "./platform_error.js";
import { subscribe } from "./subscribe.js";
import { jsonOf, request, segment } from "./request.js";

/**
 * Makes `db()` for one app.
 *
 * @param {Pick<import("platform").App, "db_code"> & Partial<import("platform").App> | null | undefined} app
 * @param {typeof request} ask
 * @param {typeof subscribe} follow
 * @returns {typeof import("platform").db}
 */
export const createDb = (app, ask = request, follow = subscribe) => (code) => {
  const named = code ?? app?.db_code;
  if (!named) {
    throw new PlatformError("This app has no database of its own: set its db_code, or call db() with a code", {
      code: "no_database",
    });
  }
  const address = `/platform/db/${segment(named, "A database's code")}`;
  /** @type {(method: string, body?: string) => Promise<any>} */
  const call = (method, body) => ask("POST", `${address}/${method}`, { body });
  return {
    // The REST API documents list without options as a request without a body.
    list: async (options) => await call("list", options && jsonOf(options, "What list() takes")),
    create: async (data) => await call("create", `{"data":${jsonOf(data, "A record's data")}}`),
    update: async (id, data) => await call("update", `{"id":${idOf(id)},"data":${jsonOf(data, "A record's data")}}`),
    subscribe: (listener) => follow(`${address}/changes`, listener),
    delete: async (id) => await call("delete", `{"id":${idOf(id)}}`),
  };
};

/** @param {unknown} id */
function idOf(id) {
  if (typeof id === "string" && id) return JSON.stringify(id);
  throw new TypeError("A record must be named by its id, which is a text");
}
