/**
 * An app in a frame of a host page that vouches for its user with a JWT. The JWT comes in the body of a form, so that it
 * is in no address, and so in no log and no `Referer`; no cookie is needed.
 */
import { appsHostOf } from "../../apps_site.ts";
import { Refusal } from "../../errors.ts";
import { proveEmbedded } from "../../viewer.ts";
import type { HttpContext } from "../http_context.ts";
import type { PlainRoute } from "../plain_route.ts";
import { missingApp, refusedEmbedding } from "./notices.ts";
import { appFor, sees } from "./app_page.ts";
import { appOfPath } from "./open_app.ts";
import { FORM_TYPE, readForm } from "../read_form.ts";

export const EMBEDDED_PAGE: PlainRoute = {
  method: "POST",
  path: "/a/:url_code",
  name: "open_embedded_app",
  tag: "files",
  summary: "Open an app for a host's user",
  description:
    "What `/embed.js` sends from a host page: a form whose field `viewer` is a JWT (HS256) that an embedding " +
    "key has signed. The page's token ends with the JWT; `POST /platform/embeds/token.json` renews it.",
  callers: "everyone",
  parameters: [{ in: "path", name: "url_code", example: "my-counter", description: "The app's `url_code` or id" }],
  body: { [FORM_TYPE]: { shape: { type: "object" } } },
  replies: {
    200: { description: "The app's page", content: { "text/html": {} } },
    401: { description: "The JWT is refused", content: { "text/html": {} } },
    404: { description: "No such app, or it is switched off, or hidden", content: { "text/html": {} } },
  },
  refuses: [400, 408, 413, 415, 503],
  answer: answerEmbedded,
};

async function answerEmbedded(context: HttpContext): Promise<Response> {
  const { config, call } = context;
  // The form of /embed.js goes to the site. On an app's own host, any site could open another app with that app's storage.
  if (appsHostOf(config, call.request.url)) return missingApp();
  const jwt = (await readForm(context)).get("viewer") ?? "";
  try {
    const viewer = await proveEmbedded(context, jwt);
    const app = await appOfPath(context);
    if (app && (app.public || sees(app, viewer))) return await appFor(context, app, viewer);
    return refusedEmbedding(404, "There is no app here for this user.");
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    return refusedEmbedding(401, `${error.message}.`);
  }
}
