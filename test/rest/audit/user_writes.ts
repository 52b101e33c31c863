/** A successful call of every route that lets users in or changes their passwords, for `writes.ts`. */
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addPerson, addSession, type Ask, made } from "../../stage/people.ts";

export interface World {
  /** As an admin of the default account. */
  ask: Ask;
  server: TestServer;
}

/** Which row the call leaves: its object and action. */
export interface Written {
  row: `${string}.${string}`;
  call(world: World): Promise<Answer>;
}

const OWN = { "sec-fetch-site": "same-origin" };
const emailOf = (kind: string) => `${kind}.${crypto.randomUUID()}@people.test`;
const create = async (ask: Ask, path: string, json: unknown) => made(await ask("POST", path, { json }));
const invitation = (ask: Ask) =>
  create(ask, "/account/invitations.json", { invitation: { email: emailOf("invited") } });
/** Chooses a password by a link. */
const take = (ask: Ask, path: string, url: string) =>
  ask("POST", path, {
    token: null,
    raw: new URLSearchParams({ secret: url.split("=")[1] ?? "", password: "canary-of a password" }).toString(),
    headers: { "content-type": "application/x-www-form-urlencoded", ...OWN },
  });

/** By the name of a procedure, or of a plain route. */
export const USER_WRITES: Record<string, Written> = {
  "user_settings.reset_password": {
    row: "password_reset.create",
    call: async ({ ask }) =>
      await ask("POST", `/account/user_settings/${(await addPerson(ask, "user")).id}/password_reset.json`, {
        json: {},
      }),
  },
  "invitations.create": {
    row: "invitation.create",
    call: async ({ ask }) =>
      await ask("POST", "/account/invitations.json", { json: { invitation: { email: emailOf("invited") } } }),
  },
  "invitations.renew": {
    row: "invitation.create",
    call: async ({ ask }) =>
      await ask("POST", `/account/invitations/${(await invitation(ask)).id}/renew.json`, { json: {} }),
  },
  "invitations.delete": {
    row: "invitation.delete",
    call: async ({ ask }) => await ask("DELETE", `/account/invitations/${(await invitation(ask)).id}.json`),
  },
  take_invitation: {
    row: "user_setting.create",
    call: async ({ ask }) => await take(ask, "/invitation", (await invitation(ask)).url),
  },
  take_password_reset: {
    row: "user_setting.update",
    call: async ({ ask }) => {
      const { id } = await addPerson(ask, "user");
      const { url } = await create(ask, `/account/user_settings/${id}/password_reset.json`, {});
      return await take(ask, "/password_reset", url);
    },
  },
  "passwords.change": {
    row: "user_setting.update",
    call: async ({ ask, server }) => {
      const { id } = await addPerson(ask, "user", { password: "canary-of a password" });
      const { cookie } = await addSession(server, id);
      const password = { current: "canary-of a password", new: "canary-of another password" };
      return await ask("PATCH", "/account/password.json", {
        token: null,
        json: { password },
        headers: { cookie, ...OWN },
      });
    },
  },
};
