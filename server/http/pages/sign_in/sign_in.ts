/** The sign-in page, which works without JavaScript, and what its forms do. */
import { randomBytes } from "node:crypto";
import { findSignInPage } from "../../../domains/account/queries.ts";
import { listOpenApps } from "../../../domains/apps/open_apps.ts";
import { isLinked } from "../../../domains/identities/queries.ts";
import { isBaseHost } from "../../../domains/identities/sign_in.ts";
import { hasPasskeys } from "../../../domains/passkeys/queries.ts";
import { hasPasskeyHost } from "../../../domains/passkeys/webauthn.ts";
import { signIn, signOut } from "../../../domains/sessions/sign_in.ts";
import { findUserName } from "../../../domains/user_settings/queries.ts";
import { NewSession } from "../../../domains/sessions/schema.ts";
import { Refusal } from "../../../errors.ts";
import { hostOf } from "../../../input/host.ts";
import { isSentByOwnPage } from "../../../session_cookie.ts";
import { findViewer, type Viewer } from "../../../viewer.ts";
import { queryOf } from "../../address.ts";
import { stamp } from "../../answers.ts";
import type { HttpContext } from "../../http_context.ts";
import type { PlainRoute } from "../../plain_route.ts";
import { FORM_TYPE, readForm } from "../../read_form.ts";
import { HOME, returnPath } from "../return_to.ts";
import { memberHtml, signInHtml, signInPolicy } from "./sign_in_html.ts";

export const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy": signInPolicy(undefined),
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

const PAGE = { description: "The page", content: { "text/html": {} } };
const GONE_ON = { description: "Redirects, with the cookie set or removed" };

export const SIGN_IN_PAGES: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/sign_in",
    name: "open_sign_in",
    tag: "files",
    summary: "Open the sign-in page",
    description: "A member who is signed in is sent on to `return_to`, or sees the apps that it may open.",
    callers: "viewers and visitors",
    parameters: [{
      in: "query",
      name: "return_to",
      example: "/a/my-counter",
      description: "Where to go after signing in: a path of this site; any other address means the home page",
    }],
    replies: { 200: PAGE, 303: { description: "Redirects to `return_to`" } },
    refuses: [503],
    answer: openSignIn,
  },
  {
    method: "POST",
    path: "/sign_in",
    name: "sign_in",
    tag: "files",
    summary: "Sign in by the page's form",
    description: "Takes `login`, `password` and `return_to`. Programs use `POST /account/session.json`.",
    callers: "everyone",
    body: { [FORM_TYPE]: { shape: { type: "object" } } },
    replies: {
      303: GONE_ON,
      401: { description: "The form again: login or password is wrong", content: { "text/html": {} } },
      403: { description: "The form was sent by another site", content: { "text/html": {} } },
      422: { description: "The form again: a field is missing or too long", content: { "text/html": {} } },
      429: { description: "The form again: too many attempts", content: { "text/html": {} } },
    },
    refuses: [413, 415, 503],
    answer: takeSignIn,
  },
  {
    method: "POST",
    path: "/sign_out",
    name: "sign_out",
    tag: "files",
    summary: "Sign out by a page's form",
    callers: "everyone",
    replies: {
      303: GONE_ON,
      403: { description: "The form was sent by another site", content: { "text/html": {} } },
    },
    refuses: [503],
    answer: takeSignOut,
  },
];

async function openSignIn(context: HttpContext): Promise<Response> {
  const { call } = context;
  const return_to = returnPath(queryOf(call.request.url).get("return_to"));
  const viewer = await findViewer(context);
  if (!viewer) return await form(context, 200, { login: "", return_to, fault: undefined });
  return return_to === HOME ? await member(context, viewer) : goTo(call, return_to);
}

async function takeSignIn(context: HttpContext): Promise<Response> {
  const { call, config } = context;
  const fields = await readForm(context);
  const login = fields.get("login") ?? "";
  const return_to = returnPath(fields.get("return_to"));
  const again = (status: number, fault: string, headers?: Record<string, string>) =>
    form(context, status, { login: login.slice(0, 255), return_to, fault }, headers);
  if (!isSentByOwnPage(call.request, config)) {
    return await again(403, "Another site sent this form. Please try again here.");
  }
  const given = NewSession.safeParse({ login, password: fields.get("password") ?? "" });
  if (!given.success) return await again(422, "Enter your login and your password.");
  try {
    await signIn(context, given.data);
  } catch (error) {
    if (!(error instanceof Refusal) || ![401, 403, 429, 503].includes(error.status)) throw error;
    return await again(error.status, `${error.message}.`, error.headers);
  }
  return goTo(call, return_to);
}

async function takeSignOut(context: HttpContext): Promise<Response> {
  if (!isSentByOwnPage(context.call.request, context.config)) {
    return await form(context, 403, { login: "", return_to: HOME, fault: "Another site sent this form." });
  }
  await signOut(context);
  return goTo(context.call, "/sign_in");
}

/** 303 makes a browser open the address with GET. */
export function goTo(call: HttpContext["call"], location: string): Response {
  const cookie = call.set_cookie === undefined ? undefined : { "set-cookie": call.set_cookie };
  return new Response(null, {
    status: 303,
    headers: { location, "cache-control": "no-store", ...cookie, ...stamp(call) },
  });
}

/** The sign-in page. */
export async function form(
  context: HttpContext,
  status: number,
  parts: { login: string; return_to: string; fault: string | undefined },
  headers?: Record<string, string>,
): Promise<Response> {
  const site = await siteOf(context, ({ sql }, account) => hasPasskeys(sql, account));
  return page(context, status, site.nonce, signInHtml({ ...site, ...parts }), headers);
}

const LISTED = 50;

async function member(context: HttpContext, viewer: Viewer): Promise<Response> {
  const { identity_provider: provider } = context;
  const [site, user, { apps, total }, is_linked] = await Promise.all([
    siteOf(context, () => viewer.session_id !== null),
    findUserName(context.sql, viewer.account_id, viewer.user_id),
    listOpenApps(context.sql, viewer, LISTED),
    provider ? isLinked(context.sql, viewer.account_id, viewer.user_id, provider.issuer) : false,
  ]);
  const html = memberHtml({
    ...site,
    name: user ?? "",
    role: viewer.role,
    apps,
    more: total - apps.length,
    is_linked,
  });
  return page(context, 200, site.nonce, html);
}

function page(
  { call }: HttpContext,
  status: number,
  nonce: string | undefined,
  html: string,
  headers?: Record<string, string>,
): Response {
  const policy = { "content-security-policy": signInPolicy(nonce) };
  return new Response(html, { status, headers: { ...HEADERS, ...policy, ...headers, ...stamp(call) } });
}

/**
 * The account of the request's host, and the host as people see it.
 *
 * @param usesPasskeys whether this page has a use for the script for passkeys
 */
export async function siteOf(
  context: HttpContext,
  usesPasskeys: (context: HttpContext, account: number) => boolean | Promise<boolean> = () => false,
) {
  const { call, sql, pages, config, identity_provider } = context;
  const host = hostOf(call.request.url);
  const account = await pages.accountOf(host);
  const settings = account === undefined ? undefined : await findSignInPage(sql, account);
  const has_script = account !== undefined && hasPasskeyHost(config, host) && !settings?.oidc_only &&
    await usesPasskeys(context, account);
  return {
    account: settings?.name ?? "Atrium",
    site: config.base_url.replace(/^https?:\/\//, ""),
    nonce: has_script ? randomBytes(16).toString("base64") : undefined,
    provider: isBaseHost(config, host) ? identity_provider?.name : undefined,
    provider_at: identity_provider && !isBaseHost(config, host) ? config.base_url : undefined,
    oidc_only: settings?.oidc_only ?? false,
  };
}
