/*
 * The `platform` module: what an app may use of the server that shows it. What it promises stands in platform.d.ts;
 * the server bundles it (server/compiler/runtime/platform.ts).
 */
// @ts-check
import { createAction } from "./action.js";
import { context } from "./context.js";
import { createDb } from "./db.js";

export { context };
export { PlatformError } from "./platform_error.js";
export const user = context.user ?? null;
export const action = createAction(context.app);
export const db = createDb(context.app);
