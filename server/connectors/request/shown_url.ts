/** The address of a request as people may see it. */
import { REDACTED } from "../redaction/redact.ts";
import type { OpenConnector } from "../secret/open_connector.ts";

/**
 * The secret of the query is left out by its name, because a redactor does not look for short secrets.
 *
 * @throws the signal's reason, if that aborts before a long address is redacted
 */
export async function shownUrl(
  { fields: { auth }, redactor }: Pick<OpenConnector, "fields" | "redactor">,
  url: URL,
  signal?: AbortSignal,
): Promise<string> {
  if (auth?.type !== "query") return String(await redactor.json(url.href, signal));
  const { name } = auth;
  const shown = new URL(url);
  shown.searchParams.delete(name);
  const redacted = String(await redactor.json(shown.href, signal));
  return `${redacted}${shown.search === "" ? "?" : "&"}${encodeURIComponent(name)}=${REDACTED}`;
}
