/** What `/embed.js` asks for a host page. */
import type { Context } from "../../context.ts";
import { forbidden, notFound } from "../../errors.ts";
import { isEmbeddingHost } from "../../input/embedding_hosts.ts";
import { isOwnOrigin } from "../../session_cookie.ts";
import { proveEmbedded, secondsUntil, signPageToken, type Viewer } from "../../viewer.ts";
import { visibleTo } from "../../visibility.ts";
import { findEmbed, listEmbeds } from "./queries.ts";
import type { Embed, EmbedRequest, RenewalRequest, RenewedToken } from "./schema.ts";

/** A page shows at most so many apps at one place. */
const MOST = 100;

/** @throws {Refusal} 401, 403, 404 */
export async function openEmbeds(ctx: Context, { target, app, viewer: jwt }: EmbedRequest): Promise<{ apps: Embed[] }> {
  const { sql, config: { base_url }, caller } = ctx;
  const viewer: Viewer | undefined = jwt === undefined ? caller.viewer : await proveEmbedded(ctx, jwt);
  const account_id = viewer?.account_id ?? caller.account_id;
  await proveHost(ctx, account_id);
  if (target !== undefined) {
    const page = { target, page: 1, per_page: MOST };
    return { apps: (await listEmbeds(sql, base_url, account_id, viewer, page)).parse() };
  }
  const found = await findEmbed(sql, base_url, account_id, viewer, (app ?? "").toLowerCase());
  if (!found) throw notFound("App");
  return { apps: [found.parse()] };
}

/** A page token for an app that a host has opened before, by a fresh JWT. @throws {Refusal} 401, 403, 404 */
export async function renewToken(ctx: Context, { app: id, viewer: jwt }: RenewalRequest): Promise<RenewedToken> {
  const viewer = await proveEmbedded(ctx, jwt);
  await proveHost(ctx, viewer.account_id);
  const app = await ctx.pages.byId(id.toLowerCase());
  if (app?.account_id !== viewer.account_id || !visibleTo(viewer, app.department_id)) throw notFound("App");
  const token = signPageToken(ctx, { id: id.toLowerCase(), account_id: app.account_id }, viewer);
  return { token, expires_in: secondsUntil(viewer.expires_at, ctx.clock.now()) };
}

/**
 * Browsers refuse the frame of a page that is not listed, without a reason that a script could read. This says it before.
 *
 * @throws {Refusal} 403
 */
async function proveHost({ call: { request }, config, pages }: Context, account_id: number): Promise<void> {
  const origin = request.headers.get("origin");
  if (origin === null || isOwnOrigin(origin, request, config)) return;
  if (isEmbeddingHost(origin, await pages.embeddingHosts(account_id))) return;
  const host = JSON.stringify(origin.slice(0, 300));
  throw forbidden(
    `Pages of ${host} may not show apps of this account: an admin adds it to "hosts" with PATCH /account/embedding.json`,
  );
}
