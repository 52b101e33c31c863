/** Procedures of apps that other pages show. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { pageProcedure, router } from "../../trpc.ts";
import { listEmbeds } from "./queries.ts";
import { proveLister } from "./read.ts";
import { Embed, EmbedPage } from "./schema.ts";

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
});
