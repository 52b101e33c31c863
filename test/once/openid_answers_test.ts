/** Answers of a provider of OpenID Connect that must not be accepted, and what is read of those that are. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createLog } from "../../server/log.ts";
import { createIdentityProvider } from "../../server/secrets/identity_provider.ts";
import { inTurn } from "../stage/scenario.ts";

const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** What a provider answers otherwise than it should. */
interface Answer {
  alg?: string;
  /** Signs with a key that the provider does not publish. */
  is_forged?: boolean;
  claims?: Record<string, unknown>;
  user_info?: Record<string, unknown>;
}

const newKey = () =>
  crypto.subtle.generateKey(
    { name: "RSASSA-PKCS1-v1_5", modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: "SHA-256" },
    true,
    ["sign", "verify"],
  );

/** A provider on this machine, which gives the code `nonce` the tokens of one person. */
async function startProvider() {
  const [own, foreign] = [await newKey(), await newKey()];
  let next: Answer = {};
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    const { alg = "RS256", is_forged = false, claims, user_info } = next;
    if (pathname === "/jwks") {
      return Response.json({ keys: [{ ...await crypto.subtle.exportKey("jwk", own.publicKey), use: "sig" }] });
    }
    if (pathname === "/me") return Response.json({ sub: "s1", ...claims, ...user_info });
    if (pathname === "/token") {
      const nonce = new URLSearchParams(await request.text()).get("code");
      const now = Math.floor(Date.now() / 1000);
      const standard = { iss: issuer, aud: "atrium", sub: "s1", iat: now, exp: now + 60, nonce };
      const signed = `${part({ alg })}.${part({ ...standard, ...claims })}`;
      const { privateKey } = is_forged ? foreign : own;
      const signature = await crypto.subtle.sign(
        privateKey.algorithm.name,
        privateKey,
        new TextEncoder().encode(signed),
      );
      const id_token = `${signed}.${alg === "none" ? "" : Buffer.from(signature).toString("base64url")}`;
      return Response.json({ access_token: "a", token_type: "Bearer", id_token });
    }
    return Response.json({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      userinfo_endpoint: `${issuer}/me`,
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
    });
  });
  const issuer: string = `http://localhost:${server.addr.port}`;
  const config = { issuer, client_id: "atrium", client_secret: "s", name: "Example", role_claim: undefined };
  const provider = createIdentityProvider(
    config,
    "http://atrium.test",
    createLog(() => {}, Date.now, { at_once: true }),
  );
  assert.ok(provider);
  return {
    async redeem(answer: Answer) {
      next = answer;
      const exchange = await provider.newExchange();
      const query = new URLSearchParams({ code: exchange.nonce, state: exchange.state });
      return await provider.redeem(query, exchange);
    },
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

const seconds = (later: number) => Math.floor(Date.now() / 1000) + later;

const REFUSED: [why: string, answer: Answer][] = [
  ["a signature by another key", { is_forged: true }],
  ["no signature", { alg: "none" }],
  ["an algorithm whose key is the client's secret", { alg: "HS256" }],
  ["another nonce", { claims: { nonce: "x" } }],
  ["another issuer", { claims: { iss: "http://localhost:1" } }],
  ["another audience", { claims: { aud: "other" } }],
  ["expired", { claims: { exp: seconds(-60) } }],
  ["another person's user info", { user_info: { sub: "s2" } }],
  ["a subject that is too long", { claims: { sub: "s".repeat(256) } }],
  ["a subject with NUL", { claims: { sub: "a\0" } }],
  ["a subject that would be stored as another one", { claims: { sub: "a\ud800" } }],
];

Deno.test("openid: forged, foreign and impossible ID tokens are refused", async () => {
  await using provider = await startProvider();
  assert.equal((await provider.redeem({})).subject, "s1");
  await inTurn(REFUSED, async ([why, answer]) => {
    await assert.rejects(provider.redeem(answer), { status: 401 }, why);
  });
});

Deno.test("openid: a login or a name is trimmed, and left out where no user could have it", async () => {
  await using provider = await startProvider();
  const read = async (value: string) => {
    const { login, name } = await provider.redeem({ user_info: { preferred_username: value, name: value } });
    return [login, name];
  };
  assert.deepEqual(await read(" ada\t"), ["ada", "ada"]);
  await inTurn(["", "  ", "a\0", "a\ud800", "x".repeat(256)], async (value) => {
    assert.deepEqual(await read(value), [undefined, undefined], JSON.stringify(value));
  });
});
