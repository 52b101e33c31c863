/** Short pages for people to whom an app cannot be shown. */
import { unauthorized } from "../../errors.ts";
import { refuse } from "../answers.ts";
import { type Link, noticePage } from "./page_html.ts";
import { signInAddress } from "./return_to.ts";

/** Also the answer for an app that the caller may not see. */
export const missingApp = (): Response => notice(404, NO_APP, WHY_NO_APP);

/** For a member, who may look at the apps that there are. */
export const missingAppForMember = (): Response =>
  notice(404, NO_APP, WHY_NO_APP, { link: { href: "/apps", words: "See the apps" } });

const NO_APP = "There is no app here";
const WHY_NO_APP = "The address may be mistyped, or the app is switched off or deleted.";

/** Also the answer for a preview of another user's, and outside of a frame. */
export const missingPreview = (): Response =>
  notice(404, "There is no preview here", "A preview ends after ten minutes, and opens only beside its source.");

/** For a visitor, whether there is an app at the address or not. A browser is sent to the sign-in page. */
export function signInFirst(request: Request): Response {
  const wants_html = request.headers.get("accept")?.includes("text/html") ?? false;
  if (!wants_html) return refuse(unauthorized("There is no public app here: a valid access token is needed"));
  return new Response(null, {
    status: 303,
    headers: { location: signInAddress(request), "cache-control": "no-store", vary: "accept, cookie" },
  });
}

/** In a frame of a host page, whichever: it says why there is no app, and has nothing else. */
export const refusedEmbedding = (status: number, sentence: string): Response =>
  notice(status, "This app cannot be shown", sentence, {
    ancestors: "*",
    headers: status === 401 ? { "www-authenticate": "Bearer" } : {},
  });

function notice(
  status: number,
  title: string,
  sentence: string,
  { link, ancestors = "'self'", headers = {} }: {
    link?: Link;
    /** Pages that may have it in a frame. */
    ancestors?: string;
    headers?: Record<string, string>;
  } = {},
): Response {
  return new Response(noticePage(title, sentence, link), {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; frame-ancestors ${ancestors}`,
      "x-content-type-options": "nosniff",
      ...headers,
    },
  });
}
