/** Procedures of apps that other pages show. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { openProcedure, pageProcedure, router } from "../../trpc.ts";
import { openEmbeds, renewToken } from "./open.ts";
import { listEmbeds, listTargets } from "./queries.ts";
import { proveLister } from "./read.ts";
import { Embed, EmbedPage, EmbedRequest, Embeds, RenewalRequest, RenewedToken, Target, TargetPage } from "./schema.ts";

export const embeds = router({
  list: pageProcedure
    .meta({
      rest: "GET /platform/embeds.json",
      refuses: [401, 403],
      summary: "List the apps at a module or page",
      description:
        "The active apps whose `show_in_module` is `target` and that open for the caller, by `position` and " +
        "then by name. A caller without a login gets the public ones. Scope: `apps:read`.",
    })
    .use(({ ctx, next }) => (proveLister(ctx), next()))
    .input(EmbedPage).output(sent(z.array(Embed)))
    .query(({ ctx, input }) => {
      const { account_id, viewer } = ctx.caller;
      return listEmbeds(ctx.sql, ctx.config.base_url, account_id, viewer, input);
    }),

  targets: pageProcedure
    .meta({
      rest: "GET /platform/embeds/targets.json",
      refuses: [401, 403],
      summary: "List the modules and pages with apps",
      description: "With the number of apps that open for the caller, by name. Scope: `apps:read`.",
    })
    .use(({ ctx, next }) => (proveLister(ctx), next()))
    .input(TargetPage).output(sent(z.array(Target)))
    .query(({ ctx, input }) => listTargets(ctx.sql, ctx.caller.account_id, ctx.caller.viewer, input)),

  open: pageProcedure
    .meta({
      rest: "POST /platform/embeds/open.json",
      refuses: [401, 403, 404],
      summary: "Read what a host page shows",
      description:
        "What `/embed.js` asks: the apps at `target`, at most 100, or the one app, that open for the host's " +
        "user, or without `viewer` for the caller. 403 says which setting lets the page show apps.",
    })
    .use(({ ctx, next }) => (proveLister(ctx), next()))
    .input(EmbedRequest).output(Embeds)
    .mutation(({ ctx, input }) => openEmbeds(ctx, input)),

  renew: openProcedure
    .meta({
      rest: "POST /platform/embeds/token.json",
      refuses: [401, 403, 404],
      summary: "Renew the page token of a host's user",
      description: "The new token lives as long as the JWT, and never does more than the JWT and its user allow.",
    })
    .input(RenewalRequest).output(RenewedToken)
    .mutation(({ ctx, input }) => renewToken(ctx, input)),
});
