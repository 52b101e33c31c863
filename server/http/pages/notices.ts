/** Short pages for people to whom an app cannot be shown. */
import { unauthorized } from "../../errors.ts";
import { refuse } from "../answers.ts";
import { noticePage } from "./page_html.ts";

/** Also the answer for an app that the caller may not see. */
export const missingApp = (): Response =>
  notice(404, "There is no app here", "The address may be mistyped, or the app is switched off or deleted.");

/** For a visitor, whether there is an app at the address or not. */
export function signInFirst({ headers }: Request): Response {
  const wants_html = headers.get("accept")?.includes("text/html") ?? false;
  if (!wants_html) return refuse(unauthorized("There is no public app here: a valid access token is needed"));
  return notice(401, "There is no public app here", "Apps of a team open for its signed-in members.", {
    "www-authenticate": "Bearer",
  });
}

function notice(status: number, title: string, sentence: string, headers: Record<string, string> = {}): Response {
  return new Response(noticePage(title, sentence), {
    status,
    headers: {
      ...headers,
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
      "x-content-type-options": "nosniff",
    },
  });
}
