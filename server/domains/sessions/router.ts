/** Procedures of sessions. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { notFound } from "../../errors.ts";
import { ById } from "../../input/shapes.ts";
import { guestProcedure, openProcedure, router } from "../../trpc.ts";
import { readMe } from "../account/me.ts";
import { Me } from "../account/schema.ts";
import { deleteSession, deleteSessions, listSessions } from "./queries.ts";
import { NewSession, Session, SessionPage } from "./schema.ts";
import { signIn, signOut } from "./sign_in.ts";

export const sessions = router({
  create: openProcedure
    .meta({
      rest: "POST /account/session.json",
      status: 201,
      wrapper: "session",
      refuses: [401, 403, 429],
      summary: "Sign in",
      description:
        "Sets the cookie of a session. The answer is the one of `GET /account/me.json`. After 10 attempts in " +
        "15 minutes for one login, or from one address, further ones are refused with 429. 503 while too many others sign in.",
    })
    .input(z.object({ session: NewSession })).output(sent(Me))
    .mutation(async ({ ctx, input }) => await readMe(ctx, await signIn(ctx, input.session))),

  end: openProcedure
    .meta({
      rest: "DELETE /account/session.json",
      status: 204,
      summary: "Sign out",
      description: "Ends the session of the cookie, if there is one, and removes the cookie.",
    })
    .output(z.void())
    .mutation(({ ctx }) => signOut(ctx)),

  list: guestProcedure
    .meta({ rest: "GET /account/sessions.json", personal: true, summary: "List the caller's own sessions" })
    .input(SessionPage).output(sent(z.array(Session)))
    .query(({ ctx, input }) => listSessions(ctx.sql, ctx.viewer, input)),

  delete_others: guestProcedure
    .meta({
      rest: "DELETE /account/sessions.json",
      status: 204,
      summary: "End the caller's other sessions",
      description: "All of them where the caller has a token.",
    })
    .output(z.void())
    .mutation(async ({ ctx }) => {
      const { account_id, user_id, session_id } = ctx.viewer;
      await deleteSessions(ctx.sql, account_id, user_id, session_id);
      ctx.viewers.forget();
    }),

  delete: guestProcedure
    .meta({ rest: "DELETE /account/sessions/:id.json", status: 204, summary: "End one of the caller's sessions" })
    .input(ById).output(z.void())
    .mutation(async ({ ctx, input }) => {
      const { account_id, user_id } = ctx.viewer;
      if (!await deleteSession(ctx.sql, account_id, user_id, input.id)) throw notFound("Session");
      ctx.viewers.forget();
    }),
});
