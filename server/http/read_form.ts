/** Reads the form of a page of ours. */
import { Refusal, unsupported } from "../errors.ts";
import type { HttpContext } from "./http_context.ts";
import { readBytes } from "./rest/body.ts";

export const FORM_TYPE = "application/x-www-form-urlencoded";
/** Bytes of a form. */
const FORM_LIMIT = 16 * 1024;
/** A million fields, which fit into 2 MiB, block the process for half a second. Pages have some twenty. */
const MOST_FIELDS = 1_000;

/** @param most_bytes limit of the body. @throws {Refusal} 413, 415 */
export async function readForm(
  { call: { request }, body_deadlines }: HttpContext,
  most_bytes = FORM_LIMIT,
): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) throw unsupported(`Send ${FORM_TYPE}`);
  const text = new TextDecoder().decode(await readBytes(request, most_bytes, body_deadlines));
  if (text.split("&", MOST_FIELDS + 1).length > MOST_FIELDS) {
    throw new Refusal(413, `The form has more than ${MOST_FIELDS.toLocaleString("en")} fields`);
  }
  return new URLSearchParams(text);
}
