/*
 * The `platform` module, through which an app uses its server. platform.d.ts documents every export.
 * server/compiler/runtime/platform.ts bundles this file.
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
