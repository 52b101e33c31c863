// @ts-check
/** Requests of the `platform` module to its server, and the errors that they throw. */
import { PlatformError } from "./platform_error.js";

/** @typedef {(address: string, init: RequestInit) => Promise<Response>} Send */

/**
 * Sends to the server that served the page. It sends no credentials, because a sandboxed page has none.
 *
 * `fetch` is looked up at each call, so that a replacement by the page (shim_token.js) takes effect here, too.
 *
 * @type {Send}
 */
export const fromPage = (address, init) =>
  globalThis.fetch(address, { ...init, cache: "no-store", credentials: "omit" });

/**
 * @typedef {object} Sent
 * @property {BodyInit | null | undefined} [body] a text is JSON unless `headers` name another type
 * @property {AbortSignal | undefined} [signal]
 * @property {Record<string, string> | undefined} [headers]
 */

/**
 * Sends one request.
 *
 * @param {Send} send
 * @param {string} method
 * @param {string} address root-relative
 * @param {Sent} [sent]
 * @returns {Promise<Response>} with a status of success; its body is not read yet
 * @throws {PlatformError} or the signal's reason
 */
export async function answered(send, method, address, { body, signal, headers } = {}) {
  const typed = typeof body === "string" ? { "content-type": "application/json", ...headers } : headers ?? {};
  const response = await send(address, { method, body, signal, headers: typed }).catch(unreachable(signal));
  if (response.ok) return response;
  throw refusal(response, read(await textOf(response, signal)));
}

/**
 * @param {Response} response
 * @param {AbortSignal} [signal]
 */
export const textOf = (response, signal) => response.text().catch(unreachable(signal));

/**
 * The error of a request without an answer.
 *
 * @param {AbortSignal | undefined} signal
 * @returns {(cause: unknown) => never}
 */
const unreachable = (signal) => (cause) => {
  if (signal?.aborted) throw signal.reason;
  throw new PlatformError("The server cannot be reached", { code: "network", cause });
};

/**
 * Sends one request to the server that served the page.
 *
 * @param {string} method
 * @param {string} address root-relative
 * @param {Sent} [sent] the body is JSON
 * @returns {Promise<unknown>} the parsed JSON of the answer
 * @throws {PlatformError} or the signal's reason
 */
export async function request(method, address, sent = {}) {
  return valueOf(await answered(fromPage, method, address, sent), sent.signal);
}

/**
 * @param {Response} response
 * @param {AbortSignal} [signal]
 * @returns {Promise<unknown>} the parsed JSON
 * @throws {PlatformError} or the signal's reason
 */
export async function valueOf(response, signal) {
  const value = read(await textOf(response, signal));
  if (value !== undefined) return value;
  throw new PlatformError("The server's answer cannot be read", { status: response.status, code: "bad_answer" });
}

/** @param {string} text */
function read(text) {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: an error page of a proxy, or an empty body.
  }
}

/**
 * The error for an answer. The server sends `{ error, code }` or `{ field: [messages] }`; any other body comes from a
 * proxy in between.
 *
 * @param {Response} response
 * @param {any} value
 */
export function refusal({ status, headers }, value) {
  const retry_after = secondsOf(headers.get("retry-after"));
  if (typeof value?.error === "string") {
    return new PlatformError(value.error, { status, code: value.code, retry_after });
  }
  const message = status === 422 && sentence(value);
  if (message) return new PlatformError(message, { status, code: "invalid", fields: value });
  return new PlatformError(`The server answers with the status ${status}`, { status, retry_after });
}

/**
 * Writes `{ first_name: ["can't be blank"] }` as "First name can't be blank". Messages of `base` have no field name.
 *
 * @param {Record<string, string[]> | undefined} fields
 * @returns {string} empty if the value is not of this shape
 */
function sentence(fields) {
  const entries = Object.entries(fields ?? {});
  if (!entries.every(([, messages]) => Array.isArray(messages))) return "";
  return entries.flatMap(([field, messages]) => {
    const name = field === "base" ? "" : `${field.replace(/_/g, " ")} `;
    return messages.map((message) => (name + message).replace(/^./, (letter) => letter.toUpperCase()));
  }).join("; ");
}

/**
 * Reads `Retry-After`, which is a number of seconds or a date.
 *
 * @param {string | null} value
 */
function secondsOf(value) {
  const seconds = value?.trim() ? Number(value) : NaN;
  const until = seconds >= 0 ? seconds : (Date.parse(value ?? "") - Date.now()) / 1000;
  return until >= 0 ? until : undefined;
}

/**
 * Encodes a value as one segment of a path. `.` and `..` are refused, because they change the path even when encoded.
 *
 * @param {unknown} value
 * @param {string} what for the message
 * @throws {TypeError}
 */
export function segment(value, what) {
  if (typeof value === "string" && !/^\.{0,2}$/.test(value)) return encodeURIComponent(value);
  throw new TypeError(`${what} must be a name, not ${JSON.stringify(value)}`);
}

/**
 * Writes an object as JSON. Lists and FormData are refused, because their JSON is an array or empty.
 *
 * @param {any} value
 * @param {string} what for the message
 * @throws {TypeError}
 */
export function jsonOf(value, what) {
  const json = value?.[Symbol.iterator] ? undefined : JSON.stringify(value);
  if (json?.startsWith("{")) return json;
  throw new TypeError(`${what} must be an object such as { name: "value" } or Object.fromEntries(form)`);
}
