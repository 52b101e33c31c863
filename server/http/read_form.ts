/** Reads the form of a page of ours. */
import { Refusal, unsupported } from "../errors.ts";
import type { HttpContext } from "./http_context.ts";
import { PARTS_LIMIT, readBytes } from "./rest/body.ts";

export const FORM_TYPE = "application/x-www-form-urlencoded";
/** Bytes of a form. */
const FORM_LIMIT = 16 * 1024;

/** @param most_bytes limit of the body. @throws {Refusal} 413, 415 */
export async function readForm(
  { call: { request }, body_deadlines }: HttpContext,
  most_bytes = FORM_LIMIT,
): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) throw unsupported(`Send ${FORM_TYPE}`);
  const text = new TextDecoder().decode(await readBytes(request, most_bytes, body_deadlines));
  // Before they are parsed: a million fields, which fit into 2 MiB, take half a second.
  if (text.split("&", PARTS_LIMIT + 1).length > PARTS_LIMIT) {
    throw new Refusal(413, `A form has at most ${PARTS_LIMIT} fields`);
  }
  return new URLSearchParams(text);
}
