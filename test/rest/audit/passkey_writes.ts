/** Calls that change passkeys and identities, for the audit log's test. */
import { createPasskey, type Page, signWith } from "../../stage/passkeys/authenticator.ts";
import type { Answer, TestServer } from "../../stage/harness.ts";
import { addIdentity, addPasskey, addSession, type Ask, made } from "../../stage/people.ts";

interface World {
  ask: Ask;
  server: TestServer;
}

const PAGE: Page = { origin: "http://atrium.test", rp_id: "atrium.test" };
const OWN = { "sec-fetch-site": "same-origin" };

/** Adds a passkey in a session of the first admin. */
async function add({ ask, server }: World) {
  const { cookie } = await addSession(server, 1);
  const own = { token: null, headers: { cookie, ...OWN } };
  const { body } = await ask("POST", "/account/passkeys/options.json", own);
  const { passkey, response } = createPasskey(body, PAGE);
  const answer = await ask("POST", "/account/passkeys.json", { ...own, json: { passkey: { response } } });
  made(answer);
  return { passkey, answer };
}

export const PASSKEY_WRITES = {
  "passkeys.create": {
    row: "passkey.create",
    call: async (world: World): Promise<Answer> => (await add(world)).answer,
  },
  "passkeys.update": {
    row: "passkey.update",
    call: async ({ ask, server }: World) =>
      await ask("PATCH", `/account/passkeys/${await addPasskey(server, 1)}.json`, {
        json: { passkey: { name: "New" } },
      }),
  },
  "passkeys.delete": {
    row: "passkey.delete",
    call: async ({ ask, server }: World) =>
      await ask("DELETE", `/account/passkeys/${await addPasskey(server, 1)}.json`),
  },
  "passkeys.sign_in": {
    row: "session.sign_in",
    call: async (world: World) => {
      const { passkey } = await add(world);
      const { body } = await world.ask("POST", "/account/session/passkey_options.json", { token: null });
      const json = { passkey: { response: signWith(passkey, body, PAGE) } };
      return await world.ask("POST", "/account/session/passkey.json", { token: null, json });
    },
  },
  "identities.delete": {
    row: "identity.delete",
    call: async ({ ask, server }: World) =>
      await ask("DELETE", `/account/identities/${await addIdentity(server, 1)}.json`),
  },
} as const;
