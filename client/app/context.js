// @ts-check
/// <reference path="./platform.d.ts" />

/**
 * Anywhere but in an app's page there is neither an app nor a user.
 *
 * @type {import("platform").AppContext}
 */
export const context = freeze(globalThis.PlatformAppContext ?? { user: null, app: null });

/**
 * What it holds, too.
 *
 * @template Value
 * @param {Value} value
 * @returns {Value}
 */
function freeze(value) {
  if (!Object.isFrozen(value)) Object.values(/** @type {object} */ (Object.freeze(value))).forEach(freeze);
  return value;
}
