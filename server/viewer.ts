/**
 * Who calls. A request may name its caller in six ways, and all of them are proven in this file:
 *
 * | credential | sent as | proves |
 * |---|---|---|
 * | API token | `Authorization: Bearer …`, or tRPC's connection parameters | a viewer |
 * | session | a cookie, in requests of this site's own pages and in opened addresses | a viewer |
 * | page token | `X-App-Token`, by the code of an app's page | the app, and the viewer that opened its page |
 * | entry | a cookie of a host that serves apps, when a person opens an app there | the viewer of that app's page |
 * | a host's JWT | in the body, where apps are opened in frames of other sites | a viewer, for as long as the JWT lives |
 * | browser key | a cookie | that the same browser calls again, without a login |
 *
 * An admin may ask for the answers that another user of the account gets, with the header `X-View-As`: `viewedAs`.
 */
import { createHash } from "node:crypto";
import { readBrowser } from "./secrets/browser_key.ts";
import { badRequest, forbidden, notFound, type Refusal, unauthorized } from "./errors.ts";
import type { RateLimiter } from "./fairness/rate_limits.ts";
import type { Keys } from "./secrets/keys.ts";
import { entryOf } from "./apps_site.ts";
import { hostOf } from "./input/host.ts";
import type { Grant } from "./secrets/grant.ts";
import type { Users } from "./reach.ts";
import { type Role, ROLES } from "./input/roles.ts";
import { sessionSecret } from "./session_cookie.ts";
import { readAppEntry } from "./secrets/app_entries.ts";
import { readAppToken, signAppToken } from "./secrets/page_tokens.ts";
import { type Restriction, visibleTo } from "./visibility.ts";

export { type Role, ROLES } from "./input/roles.ts";

/** A signed-in user of an account. */
export interface Viewer extends Restriction {
  account_id: number;
  user_id: number;
  /** The API token; null where the viewer has a session. */
  token_id: number | null;
  /** The session; null where the viewer has an API token. */
  session_id: number | null;
  role: Role;
  /** When the token ends, ISO 8601; null is never. */
  expires_at: string | null;
  /** `<domain>:read` or `<domain>:write`; null is everything that the role may do. */
  scopes: readonly string[] | null;
  /** Of a viewer that a host page has vouched for: role and departments above are already within it. */
  grant?: Grant;
  /** The admin who asks for the answers that this user gets; all of the above except the scopes is this user's. */
  viewed_by?: number;
}

/** Finds viewers by their tokens and sessions, and users by their ids, through a cache of a few seconds. */
export interface Viewers {
  /** The viewer of a token that was proven within the last seconds, without a promise. */
  cached(token: string): Viewer | undefined;
  /**
   * @param address the caller's; wrong tokens are counted by it
   * @throws {Refusal} 429 after too many wrong tokens
   */
  byToken(token: string, address: string): Promise<Viewer | undefined>;
  byTokenId(token_id: number): Promise<Viewer | undefined>;
  /** The viewer of a session that was proven within the last seconds, without a promise. */
  cachedSession(secret: string): Viewer | undefined;
  bySession(secret: string): Promise<Viewer | undefined>;
  bySessionId(session_id: number): Promise<Viewer | undefined>;
  /**
   * The viewer that a host's JWT names. An unknown user is created as a guest, or refused, by the account's setting.
   *
   * @param call the request with the JWT, which the audit log names for such a guest
   * @throws {Refusal} 401 with what the host must mend
   */
  byJwt(jwt: string, call: Call): Promise<Viewer>;
  /** A viewer that a host vouched for before, while the key and the user are there. */
  byGrant(user_id: number, grant: Grant): Promise<Viewer | undefined>;
  /** For what acts without a request. */
  readonly users: Users;
  /** Notes in the audit log, once an hour, that an admin views the account as another user. */
  noteView(admin: Viewer, user_id: number, call: Call): Promise<void>;
  /** Call after a change of tokens, sessions, users, departments or the account: it holds at once in this process. */
  forget(): void;
}

/** Anyone who calls an action or a public method: a viewer, or a visitor without a login. */
export interface Caller {
  /** Of the viewer or the page, else of the request's host; 0 where there is no account at all. */
  account_id: number;
  viewer: Viewer | undefined;
  /** The browser key, made at need beside a viewer. Secret: it is never sent to a page and never stored. */
  browser: string;
  /** IP address. */
  address: string;
  /** The app whose page calls. */
  app_id: string | undefined;
}

/** One request, as far as its caller is concerned. */
export interface Call {
  readonly request: Request;
  /** As sent, without the query. */
  readonly path: string;
  readonly request_id: string;
  /** When the request came in, as `performance.now()` has it. */
  readonly started: number;
  /** The request is HEAD: its answer has the headers of GET's. A handler of a stream then reads nothing. */
  readonly is_head: boolean;
  /** The caller's IP address; behind trusted proxies the one that they report. */
  readonly address: string;
  /** The API token as sent. */
  token: string | undefined;
  /** Set by the proofs below. */
  viewer: Viewer | undefined;
  caller: Caller | undefined;
  /** For a successful answer: the browser key of a new browser. */
  set_cookie: string | undefined;
  /** The parameters of the path, over REST; for proofs that come before the body is read. */
  params: Readonly<Record<string, string>> | undefined;
  /** Whether the answer already carries the request's id. */
  stamped: boolean;
  /** Set by `/mcp` for the call of a tool: the client's name, the id of its session, and one of this call. */
  agent?: { name: string; session: string; call: string };
  /** Set by an undo: the agent's session whose changes it undoes. */
  undoes?: string;
}

/** An app as the proof of a page token needs it. */
interface AppOfPage {
  public: boolean;
  department_id: number | null;
}

/** The part of a request's context that the proofs use. */
interface Proving {
  call: Call;
  viewers: Viewers;
  keys: Keys;
  clock: { now(): Date };
  config: { base_url: string; apps_origin: string | undefined };
  limits: RateLimiter;
  pages: {
    byId(app_id: string): Promise<AppOfPage | undefined>;
    accountOf(host: string): Promise<number | undefined>;
  };
}

const hasRole = (viewer: Viewer, role: Role) => ROLES.indexOf(viewer.role) >= ROLES.indexOf(role);
const hasScope = ({ scopes }: Viewer, scope: string) => scopes?.includes(scope) ?? true;

/** What `allow` refuses, for pages that offer only what their viewer may do. */
export const mayDo = (viewer: Viewer, role: Role, scope: string): boolean =>
  hasRole(viewer, role) && hasScope(viewer, scope);

/**
 * @param scope none where the token's scopes do not matter
 * @throws {Refusal} 403
 */
export function allow(viewer: Viewer, role: Role, scope?: string): void {
  if (!hasRole(viewer, role)) throw forbidden(`This needs the role ${role}`);
  if (scope !== undefined && !hasScope(viewer, scope)) throw forbidden(`This token lacks the scope ${scope}`);
}

/**
 * A page token has the scopes of the API token that its page was opened with, so it never does more than that token.
 *
 * @throws {Refusal} 403
 */
export function allowCaller({ viewer }: Caller, scope: string): void {
  if (viewer) allow(viewer, "guest", scope);
}

/**
 * The refusal for what is private or missing. A caller without a login gets the same answer for both, so that strangers
 * cannot find out what exists.
 *
 * @param thing as `notFound` has it
 */
export const hiddenFrom = (viewer: Viewer | undefined, thing: string): Refusal =>
  viewer ? notFound(thing) : unauthorized();

/** The token of an `Authorization: Bearer` header. */
export const bearerToken = (authorization: string | null): string | undefined =>
  authorization?.match(/^Bearer +([\x21-\x7e]+) *$/i)?.[1];

/** An `EventSource` sends no headers, so a subscription carries its token in tRPC's connection parameters. */
export function takeConnectionParams(
  call: Call,
  params: Readonly<Record<string, string | undefined>> | null | undefined,
): void {
  call.token ??= params?.token || undefined;
}

/** What the proof of a viewer uses. */
type ProvingViewer = Pick<Proving, "call" | "viewers" | "config" | "limits">;

/**
 * The viewer where the request names one; undefined without a token or session, and with one that is not valid. A token
 * goes before a session: a request with a wrong token is never answered as the browser's member.
 *
 * @param viewable the answer may be given as another user
 * @throws {Refusal} 429 after too many requests of the token, the session or the account; 400, 403, 404 for `X-View-As`
 */
export async function findViewer(ctx: ProvingViewer, viewable = false): Promise<Viewer | undefined> {
  const { call, viewers, config, limits } = ctx;
  const { token, request } = call;
  const secret = token === undefined ? sessionSecret(request, config) : undefined;
  const viewer = token !== undefined
    ? viewers.cached(token) ?? await viewers.byToken(token, call.address)
    : secret !== undefined
    ? viewers.cachedSession(secret) ?? await viewers.bySession(secret)
    : undefined;
  const views = request.headers.has(VIEW_AS);
  // The calls of a batch share `call`: none of them may meet the admin here.
  if (!views) call.viewer = viewer;
  const counted = viewer && limits.take("requests", { account_id: viewer.account_id, viewer, address: call.address });
  if (counted) await counted;
  if (views && viewer) return call.viewer = await viewedAs(ctx, viewer, viewable);
  return viewer;
}

/** Carries the id of a user. */
const VIEW_AS = "x-view-as";

/** @throws {Refusal} 403 where the request asks for an answer as another user, which this is not */
export function refuseViewAs({ request }: Call): void {
  if (request.headers.has(VIEW_AS)) throw forbidden("This is not answered as another user (X-View-As)");
}

/**
 * The user whose answers an admin asks for. The scopes stay those of the admin's token, and the user's own credentials
 * stay out of reach, because what concerns them is not viewable.
 *
 * @throws {Refusal} 400, 403, 404
 */
async function viewedAs({ call, viewers }: ProvingViewer, admin: Viewer, viewable: boolean): Promise<Viewer> {
  if (!viewable || call.request.method !== "GET") refuseViewAs(call);
  if (admin.role !== "admin") throw forbidden("The header X-View-As needs the role admin");
  const id = call.request.headers.get(VIEW_AS) ?? "";
  if (!/^[1-9]\d{0,8}$/.test(id)) throw badRequest("The header X-View-As must be the id of a user");
  const user = await viewers.users.find(admin.account_id, Number(id));
  if (!user) throw notFound("User");
  if (!user.active) throw forbidden("The header X-View-As names a user who is switched off and sees nothing");
  await viewers.noteView(admin, user.user_id, call);
  const { account_id, user_id, role, restricted, department_ids, without_department } = user;
  const { scopes, expires_at, user_id: viewed_by } = admin;
  const own = { account_id, user_id, role, restricted, department_ids, without_department };
  return { ...own, token_id: null, session_id: null, scopes, expires_at, viewed_by };
}

/** Whether the request names a viewer, by a token or a session that need not be valid. */
export const namesViewer = ({ call, config }: Pick<ProvingViewer, "call" | "config">): boolean =>
  call.token !== undefined || sessionSecret(call.request, config) !== undefined;

/**
 * The viewer that has entered an app on its own host, in a request that opens the app in a window. Undefined where the
 * browser has not entered it; without `viewer` where its entry or session has ended.
 */
export async function findEntered(
  { call, viewers, keys, clock, config }: Pick<Proving, "call" | "viewers" | "keys" | "clock" | "config">,
  app: { id: string },
): Promise<{ viewer: Viewer | undefined } | undefined> {
  const value = entryOf(call.request, config, app.id);
  if (value === undefined || (call.request.headers.get("sec-fetch-dest") ?? "document") !== "document") {
    return undefined;
  }
  const entry = readAppEntry(keys, value, clock.now());
  if (!entry || entry.expired || entry.app !== app.id) return { viewer: undefined };
  const viewer = await viewers.bySessionId(entry.session);
  return { viewer: call.viewer = viewer?.user_id === entry.user ? viewer : undefined };
}

/** The viewer of a session that this request has just started. */
export const viewerOfSession = async ({ call, viewers }: ProvingViewer, secret: string): Promise<Viewer | undefined> =>
  call.viewer = await viewers.bySession(secret);

/**
 * The viewer that a host page vouches for, where it opens an app or renews a page token.
 *
 * @throws {Refusal} 401, 429
 */
export async function proveEmbedded(
  { call, viewers, limits }: Pick<Proving, "call" | "viewers" | "limits">,
  jwt: string,
): Promise<Viewer> {
  const viewer = call.viewer = await viewers.byJwt(jwt, call);
  await limits.take("requests", { account_id: viewer.account_id, viewer, address: call.address });
  return viewer;
}

/** @throws {Refusal} 401, 429; 400, 403, 404 for `X-View-As` */
export async function proveViewer(ctx: ProvingViewer, viewable = false): Promise<Viewer> {
  const viewer = await findViewer(ctx, viewable);
  if (!viewer) throw unauthorized();
  return viewer;
}

/** @param viewable as `findViewer` has it. @throws {Refusal} 401, 403, 429; 400, 404 for `X-View-As` */
export async function proveRole(ctx: ProvingViewer, role: Role, scope?: string, viewable = false): Promise<Viewer> {
  const viewer = await proveViewer(ctx, viewable);
  allow(viewer, role, scope);
  return viewer;
}

/**
 * Proves who calls from an app's page, with a login, or as a visitor.
 *
 * @throws {Refusal} 401 where a login or a page token is no longer valid, or its app no longer opens for its viewer
 */
export async function proveCaller(ctx: Proving, viewable = false): Promise<Caller> {
  const { call } = ctx;
  const page_token = call.request.headers.get("x-app-token");
  return call.caller = page_token === null ? await callerOfRequest(ctx, viewable) : await callerOfPage(ctx, page_token);
}

async function callerOfRequest(ctx: Proving, viewable: boolean): Promise<Caller> {
  const { call, pages, limits } = ctx;
  // A wrong token is refused; the cookie of a session that has ended makes its browser a visitor.
  const viewer = call.token === undefined ? await findViewer(ctx, viewable) : await proveViewer(ctx, viewable);
  if (!viewer && call.request.headers.has(VIEW_AS)) throw unauthorized();
  let browser = viewer ? undefined : proveBrowser(ctx);
  const account_id = viewer?.account_id ?? await pages.accountOf(hostOf(call.request.url)) ?? 0;
  if (!viewer) await limits.take("requests", { account_id, viewer, address: call.address });
  return {
    account_id,
    viewer,
    get browser() {
      return browser ??= proveBrowser(ctx);
    },
    address: call.address,
    app_id: undefined,
  };
}

async function callerOfPage(
  { call, viewers, keys, clock, pages, limits }: Proving,
  page_token: string,
): Promise<Caller> {
  refuseViewAs(call);
  const token = readAppToken(keys, page_token, clock.now());
  const viewer = token?.token
    ? await viewers.byTokenId(token.token)
    : token?.session
    ? await viewers.bySessionId(token.session)
    : token?.grant && token.user
    ? await viewers.byGrant(token.user, token.grant)
    : undefined;
  if (!token || token.user !== null && viewer?.user_id !== token.user) {
    throw unauthorized("This page is no longer signed in: load it again");
  }
  const app = await pages.byId(token.app);
  if (!app || !app.public && !(viewer && visibleTo(viewer, app.department_id))) {
    throw unauthorized("This page's app is no longer there: it has been deleted, switched off or closed to its viewer");
  }
  call.viewer = viewer;
  await limits.take("requests", { account_id: token.account, viewer, address: call.address });
  return { account_id: token.account, viewer, browser: token.browser, address: call.address, app_id: token.app };
}

/** Whole seconds until a viewer's credential ends; 0 where it does not end, or has ended. */
export const secondsUntil = (expires_at: string | null, now: Date): number =>
  Math.max(0, Math.floor((Date.parse(expires_at ?? "") - now.getTime()) / 1000) || 0);

/** The page token for an app's page, as one viewer or a visitor opens it. Sets the browser key where there is none. */
export function signPageToken(
  ctx: Pick<Proving, "call" | "keys" | "clock" | "config">,
  app: { id: string; account_id: number },
  viewer: Viewer | undefined,
): string {
  const browser = proveBrowser(ctx);
  return signAppToken(
    ctx.keys,
    {
      app: app.id,
      account: app.account_id,
      user: viewer?.user_id ?? null,
      token: viewer?.token_id ?? null,
      session: viewer?.session_id ?? null,
      grant: viewer?.grant ?? null,
      browser,
    },
    ctx.clock.now(),
    viewer?.grant && viewer.expires_at ? new Date(viewer.expires_at) : undefined,
  );
}

/** The browser key of the request, whatever else names its caller. Sets one where there is none. */
export function proveBrowser(ctx: Pick<Proving, "call" | "config">): string {
  const { browser, set_cookie } = readBrowser(ctx.call.request, ctx.config);
  ctx.call.set_cookie = set_cookie;
  return browser;
}

/**
 * Who owns an idempotency key, so that one caller's key never finds another's run. A browser without a cookie gets its
 * key with this answer. It must keep the cookie to find its run again: callers without any identity share nothing, also
 * if they share an address.
 */
export const ownerOfKeys = ({ viewer, browser }: Caller): string =>
  viewer
    ? `user ${viewer.user_id}${viewer.grant ? ` within ${JSON.stringify(viewer.grant)}` : ""}`
    : `browser ${createHash("sha256").update(browser).digest("base64url")}`;
