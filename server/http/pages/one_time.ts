/** The pages of links that can be used once, `/invitation` and `/password_reset`: they take a password and sign in. */
import type { Buffer } from "node:buffer";
import type { Sql } from "../../database/pool.ts";
import { findSignInSettings } from "../../domains/account/queries.ts";
import { isBaseHost } from "../../domains/identities/sign_in.ts";
import { acceptInvitation, findOffer } from "../../domains/invitations/accept.ts";
import { hashOfNewPassword, type Names } from "../../domains/passwords/new_password.ts";
import { findReset } from "../../domains/passwords/queries.ts";
import { resetPassword } from "../../domains/passwords/reset.ts";
import { NewPassword } from "../../domains/passwords/schema.ts";
import { countAttempt, countWrongLink, forgiveAttempts } from "../../domains/sessions/attempts.ts";
import { hashOfSession } from "../../domains/sessions/secret.ts";
import { refuseIfOidcOnly } from "../../domains/sessions/sign_in.ts";
import { startSession } from "../../domains/sessions/start_session.ts";
import { Name } from "../../input/shapes.ts";
import { Refusal } from "../../errors.ts";
import { hostOf } from "../../input/host.ts";
import { isSentByOwnPage } from "../../session_cookie.ts";
import { refusalOf } from "../../trpc.ts";
import { queryOf } from "../address.ts";
import { stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { PlainRoute } from "../plain_route.ts";
import { FORM_TYPE, readForm } from "../read_form.ts";
import { type Fault, oneTimeHtml, spentHtml } from "./one_time_html.ts";
import { HOME } from "./return_to.ts";
import { goTo, HEADERS, siteOf } from "./sign_in/sign_in.ts";

/** For whom a link is. */
interface Holder extends Names {
  account_id: number;
  account: string;
}

/** What a link is for. */
interface Purpose {
  path: "/invitation" | "/password_reset";
  title: string;
  button: string;
  /** Whether an identity at the OpenID provider may take the place of a password. */
  takes_identity: boolean;
  /** Whether the person may say its name. */
  takes_name: boolean;
  find(sql: Sql, hash: Buffer): Promise<Holder | undefined>;
  /** Uses the link up. @returns undefined if it cannot be used any more */
  use(
    sql: Sql,
    hash: Buffer,
    password_hash: string,
    name: string | undefined,
  ): Promise<{ account_id: number; user_id: number } | undefined>;
}

const INVITATION: Purpose = {
  path: "/invitation",
  title: "Invitation",
  button: "Accept the invitation",
  takes_identity: true,
  takes_name: true,
  async find(sql, hash) {
    const offer = await findOffer(sql, hash);
    return offer && { ...offer, login: offer.email };
  },
  use: acceptInvitation,
};

const PASSWORD_RESET: Purpose = {
  path: "/password_reset",
  title: "New password",
  button: "Save the password",
  takes_identity: false,
  takes_name: false,
  find: (sql, hash) => findReset(sql, hash),
  use: (sql, hash, password_hash) => resetPassword(sql, hash, password_hash),
};

/**
 * The address of the page contains the secret. `strict-origin` keeps it out of every `Referer`, also to this site, and
 * leaves the form its `Origin`. The log contains paths without queries.
 */
const ONE_TIME_HEADERS = { ...HEADERS, "referrer-policy": "strict-origin" };

const PAGE = { "text/html": {} };
const SECRET = /^[\w-]{43}$/;

const routesOf = (purpose: Purpose, what: string): PlainRoute[] => [
  {
    method: "GET",
    path: purpose.path,
    name: `open_${purpose.path.slice(1)}`,
    tag: "files",
    summary: `Open the page of ${what}`,
    description: "Opening it does not use the link up.",
    callers: "everyone",
    parameters: [{ in: "query", name: "secret", example: "…", description: "From the link" }],
    replies: {
      200: { description: "The form for a password", content: PAGE },
      403: { description: "Members of the account sign in with OpenID Connect only", content: PAGE },
      404: { description: "The link cannot be used any more", content: PAGE },
      429: { description: "Too many wrong links from this address", content: PAGE },
    },
    refuses: [503],
    answer: (context) => open(context, purpose),
  },
  {
    method: "POST",
    path: purpose.path,
    name: `take_${purpose.path.slice(1)}`,
    tag: "files",
    summary: `Choose a password by ${what}`,
    description:
      "Takes `secret` and `password`, uses the link up and signs in. The form of an invitation takes `name`, too.",
    callers: "everyone",
    body: { [FORM_TYPE]: { shape: { type: "object" } } },
    replies: {
      303: { description: "Redirects to the home page, with the cookie of a session" },
      403: {
        description: "The form was sent by another site, or members of the account sign in with OpenID Connect only",
        content: PAGE,
      },
      404: { description: "The link cannot be used any more", content: PAGE },
      422: { description: "The form again: the password is refused", content: PAGE },
      429: { description: "Too many attempts", content: PAGE },
    },
    refuses: [413, 415, 503],
    answer: (context) => take(context, purpose),
  },
];

export const ONE_TIME_PAGES: readonly PlainRoute[] = [
  ...routesOf(INVITATION, "an invitation"),
  ...routesOf(PASSWORD_RESET, "a password reset"),
];

async function open(context: HttpContext, purpose: Purpose): Promise<Response> {
  const secret = queryOf(context.call.request.url).get("secret") ?? "";
  return await answered(context, async () => {
    const holder = await findHolder(context, purpose, secret);
    return holder ? await form(context, purpose, 200, holder, secret) : await spent(context, 404, GONE);
  });
}

async function take(context: HttpContext, purpose: Purpose): Promise<Response> {
  const { call, config, sql } = context;
  const fields = await readForm(context);
  const secret = fields.get("secret") ?? "";
  if (!isSentByOwnPage(call.request, config)) return await spent(context, 403, "Another site sent this form.");
  return await answered(context, async () => {
    const holder = await findHolder(context, purpose, secret);
    if (!holder) return await spent(context, 404, GONE);
    await refuseIfOidcOnly(sql, holder.account_id);
    const hash = hashOfSession(secret);
    // Each attempt costs a check of the password's strength and a hash.
    const subjects = [`link ${hash.toString("base64url")}`];
    await countAttempt(sql, subjects);
    const password = NewPassword.safeParse(fields.get("password") ?? "");
    const typed = purpose.takes_name ? fields.get("name")?.trim() || undefined : undefined;
    const again = (fault: Fault) =>
      form(context, purpose, 422, { ...holder, name: typed ?? holder.name }, secret, fault);
    const name = Name.optional().safeParse(typed);
    if (!name.success) return again(faultOf("name", name.error.issues[0]?.message));
    if (!password.success) return again(faultOf("password", password.error.issues[0]?.message));
    try {
      const password_hash = await hashOfNewPassword(context, holder.account_id, password.data, {
        ...holder,
        name: name.data ?? holder.name,
      });
      const user = await sql.begin((sql) => purpose.use(sql, hash, password_hash, name.data));
      if (!user) return await spent(context, 404, GONE);
      context.viewers.forget();
      await forgiveAttempts(sql, subjects);
      const viewer = await startSession(context, { ...user, password_hash });
      return goTo(call, viewer ? HOME : "/sign_in");
    } catch (error) {
      const { fields } = refusalOf(error);
      if (!fields) throw error;
      return again(faultIn(fields));
    }
  });
}

const faultOf = (field: "name" | "password", message = "is not valid"): Fault => ({
  field,
  text: `The ${field} ${message.replace(/\.$/, "")}.`,
});

/** Of a refusal by the domain. The invitation's address may have become another user's, which no field can change. */
const faultIn = ({ password }: Record<string, string[] | undefined>): Fault =>
  password?.[0] === undefined
    ? { field: undefined, text: "Your e-mail address has a user already. Sign in, or ask an administrator." }
    : faultOf("password", password[0]);

const GONE = "This link cannot be used any more.";

/** @throws {Refusal} 429 after too many wrong links from the caller's address */
async function findHolder({ sql, call }: HttpContext, { find }: Purpose, secret: string): Promise<Holder | undefined> {
  const holder = SECRET.test(secret) ? await find(sql, hashOfSession(secret)) : undefined;
  if (!holder) await countWrongLink(sql, call);
  return holder;
}

/** Shows a refusal of the link, or for too many attempts, as a page. */
async function answered(context: HttpContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || ![403, 429].includes(error.status)) throw error;
    return await spent(context, error.status, `${error.message}.`, error.headers);
  }
}

/** @throws {Refusal} 403 where members sign in with OpenID Connect only, and the link is for a password */
async function form(
  { call, config, sql, pages, identity_provider }: HttpContext,
  { path, title, button, takes_identity, takes_name }: Purpose,
  status: number,
  { account_id, account, name, login }: Holder,
  secret: string,
  fault?: Fault,
): Promise<Response> {
  const host = hostOf(call.request.url);
  // Sign-ins with the provider are those of the account that has the host.
  const takes_provider = takes_identity && isBaseHost(config, host) && await pages.accountOf(host) === account_id;
  const provider = takes_provider ? identity_provider?.name : undefined;
  if (provider === undefined) await refuseIfOidcOnly(sql, account_id);
  const oidc_only = (await findSignInSettings(sql, account_id))?.oidc_only ?? false;
  const site = config.base_url.replace(/^https?:\/\//, "");
  const parts = { account, site, path, title, button, name, takes_name, login, secret, fault, provider, oidc_only };
  const html = oneTimeHtml(parts);
  return new Response(html, { status, headers: { ...ONE_TIME_HEADERS, ...stamp(call) } });
}

async function spent(context: HttpContext, status: number, fault: string, headers?: Record<string, string>) {
  const html = spentHtml(await siteOf(context), fault);
  return new Response(html, { status, headers: { ...ONE_TIME_HEADERS, ...headers, ...stamp(context.call) } });
}
