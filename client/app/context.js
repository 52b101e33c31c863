// @ts-check
/// <reference path="./platform.d.ts" />

/**
 * What the page knows about its viewer and its app. Outside an app page, such as in a test, both are null.
 *
 * @type {import("platform").AppContext}
 */
export const context = freeze(globalThis.PlatformAppContext ?? { user: null, app: null });

/**
 * Freezes a value and everything inside it.
 *
 * @template Value
 * @param {Value} value
 * @returns {Value}
 */
function freeze(value) {
  if (!Object.isFrozen(value)) Object.values(/** @type {object} */ (Object.freeze(value))).forEach(freeze);
  return value;
}
