/** The addresses by which browsers go to the OpenID provider and come back. */
import { beginOidc, finishOidc } from "../../../domains/identities/sign_in.ts";
import { Refusal } from "../../../errors.ts";
import { CALLBACK } from "../../../secrets/identity_provider.ts";
import { queryOf } from "../../address.ts";
import { logFault } from "../../answers.ts";
import type { HttpContext } from "../../http_context.ts";
import type { PlainRoute } from "../../plain_route.ts";
import { HOME, returnPath } from "../return_to.ts";
import { form, goTo } from "./sign_in.ts";

const again = (description: string) => ({ description, content: { "text/html": {} } });

const REPLIES = {
  401: again("The sign-in page: the attempt is too old, was used or is not valid"),
  403: again("The sign-in page: this is not allowed, for the reason that it names"),
  404: again("The sign-in page: no provider is configured"),
  429: again("The sign-in page: too many attempts"),
  503: again("The sign-in page: the provider does not answer"),
};

export const OIDC_PAGES: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/sign_in/oidc",
    name: "begin_oidc",
    tag: "files",
    summary: "Sign in with OpenID Connect",
    callers: "viewers and visitors",
    parameters: [
      {
        in: "query",
        name: "return_to",
        example: "/a/my-counter",
        description: "Where to go after signing in: a path of this site",
      },
      {
        in: "query",
        name: "link",
        example: "1",
        description: "Links the identity to the signed-in member; from the sign-in page only",
      },
      {
        in: "query",
        name: "invitation",
        example: "…",
        description: "The secret of an invitation that the identity accepts; from the page of the invitation only",
      },
    ],
    replies: { 303: { description: "Redirects to the provider" }, ...REPLIES },
    answer: (context) =>
      orSayWhy(context, (query) =>
        beginOidc(context, {
          return_to: returnPath(query.get("return_to")),
          links: query.get("link") === "1",
          invitation: query.get("invitation") ?? undefined,
        })),
  },
  {
    method: "GET",
    path: CALLBACK,
    name: "finish_oidc",
    tag: "files",
    summary: "Come back from the OpenID provider",
    description:
      "The address that the provider must know as `redirect_uri`. Each answer of the provider counts once, " +
      "within 10 minutes, in the browser that asked for it.",
    callers: "viewers and visitors",
    parameters: ["state", "code"].map((name) => ({
      in: "query",
      name,
      example: "8f3a",
      description: "By the provider",
    })),
    replies: { 303: { description: "Redirects to `return_to`, with the cookie of a session" }, ...REPLIES },
    answer: (context) => orSayWhy(context, (query) => finishOidc(context, query)),
  },
];

/** Redirects to the address that `work` returns. A refusal is shown on the sign-in page. */
async function orSayWhy(
  context: HttpContext,
  work: (query: URLSearchParams) => Promise<string>,
): Promise<Response> {
  const { call } = context;
  try {
    return goTo(call, await work(queryOf(call.request.url)));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    logFault(error, "sign-in with OpenID Connect", context);
    const parts = { login: "", return_to: HOME, fault: `${error.message}.` };
    return await form(context, error.status, parts, error.headers);
  }
}
