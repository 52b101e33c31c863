/** Procedures of passkeys. */
import { z } from "zod";
import { sent } from "../../database/json.ts";
import { forbidden, notFound } from "../../errors.ts";
import { ById } from "../../input/shapes.ts";
import { guestProcedure, openProcedure, router } from "../../trpc.ts";
import { readMe } from "../account/me.ts";
import { Me } from "../account/schema.ts";
import { deletePasskey, listPasskeys, updatePasskey } from "./queries.ts";
import { registerPasskey, registrationOptions } from "./register.ts";
import {
  NewPasskey,
  Passkey,
  PasskeyAnswer,
  PasskeyChanges,
  PasskeyPage,
  RegistrationOptions,
  SignInOptions,
} from "./schema.ts";
import { signInOptions, signInWithPasskey } from "./sign_in.ts";

export const passkeys = router({
  list: guestProcedure
    .meta({
      rest: "GET /account/passkeys.json",
      personal: true,
      summary: "List the caller's passkeys",
      description: "An admin may list those of another user.",
    })
    .input(PasskeyPage).output(sent(z.array(Passkey)))
    .query(({ ctx: { sql, viewer }, input }) => {
      const { user_id = viewer.user_id } = input;
      if (user_id !== viewer.user_id && viewer.role !== "admin") throw forbidden("This needs the role admin");
      return listPasskeys(sql, viewer.account_id, user_id, input);
    }),

  options: guestProcedure
    .meta({
      rest: "POST /account/passkeys/options.json",
      refuses: [422],
      summary: "Begin to add a passkey",
      description: "The options of `navigator.credentials.create()`. Needs a session: tokens add no passkeys.",
    })
    .output(RegistrationOptions)
    .mutation(({ ctx }) => registrationOptions(ctx)),

  create: guestProcedure
    .meta({
      rest: "POST /account/passkeys.json",
      status: 201,
      wrapper: "passkey",
      summary: "Add a passkey",
      description: "Takes the browser's answer to `POST /account/passkeys/options.json`. Needs a session.",
    })
    .input(z.object({ passkey: NewPasskey })).output(sent(Passkey))
    .mutation(({ ctx, input }) => registerPasskey(ctx, input.passkey)),

  update: guestProcedure
    .meta({
      rest: "PATCH /account/passkeys/:id.json",
      wrapper: "passkey",
      summary: "Rename one of the caller's passkeys",
    })
    .input(ById.extend({ passkey: PasskeyChanges })).output(sent(Passkey))
    .mutation(async ({ ctx: { sql, viewer }, input: { id, passkey: { name } } }) => {
      const renamed = await updatePasskey(sql, viewer.account_id, viewer.user_id, id, name);
      if (!renamed) throw notFound("Passkey");
      return renamed;
    }),

  delete: guestProcedure
    .meta({
      rest: "DELETE /account/passkeys/:id.json",
      status: 204,
      summary: "Remove a passkey",
      description: "Sessions that it has started go on. An admin may remove those of every user.",
    })
    .input(ById).output(z.void())
    .mutation(async ({ ctx: { sql, viewer }, input }) => {
      const user = viewer.role === "admin" ? null : viewer.user_id;
      if (!await deletePasskey(sql, viewer.account_id, user, input.id)) throw notFound("Passkey");
    }),

  sign_in_options: openProcedure
    .meta({
      rest: "POST /account/session/passkey_options.json",
      refuses: [403, 429],
      summary: "Begin to sign in with a passkey",
      description: "The options of `navigator.credentials.get()`.",
    })
    .output(SignInOptions)
    .mutation(({ ctx }) => signInOptions(ctx)),

  sign_in: openProcedure
    .meta({
      rest: "POST /account/session/passkey.json",
      status: 201,
      wrapper: "passkey",
      refuses: [401, 403, 429],
      summary: "Sign in with a passkey",
      description: "Takes the browser's answer to `POST /account/session/passkey_options.json`. Sets the cookie of a " +
        "session. The answer is the one of `GET /account/me.json`.",
    })
    .input(z.object({ passkey: PasskeyAnswer })).output(sent(Me))
    .mutation(async ({ ctx, input }) => await readMe(ctx, await signInWithPasskey(ctx, input.passkey))),
});
