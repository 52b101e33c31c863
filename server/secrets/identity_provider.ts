/**
 * The provider of OpenID Connect that the operator has configured. Its requests go to addresses that the operator trusts, so
 * the rules for connectors' egress do not apply; each has a time limit, a size limit, and follows no redirect.
 */
import type { ClientAuth, Configuration, CustomFetchOptions } from "openid-client";
import type { OidcConfig } from "../config.ts";
import { Refusal, unauthorized, unavailable } from "../errors.ts";
import { Name, text } from "../input/shapes.ts";
import { faultOf, type Log } from "../log.ts";

const TIMEOUT_MS = 10_000;
/** Bytes of an answer. */
const LARGEST = 1024 * 1024;
/** Milliseconds for which the provider's metadata is believed. */
const BELIEVED_MS = 60 * 60 * 1000;

/** A person as the provider names it. Only issuer and subject identify it. */
export interface Identity {
  issuer: string;
  subject: string;
  /** For display. Undefined where the provider names none. */
  email: string | undefined;
  email_verified: boolean;
  name: string | undefined;
  login: string | undefined;
  /** The values of the claim that `OIDC_ROLE_CLAIM` names. */
  roles: readonly string[];
}

/** What binds the provider's answer to the request for it. */
export interface Exchange {
  state: string;
  nonce: string;
  code_verifier: string;
}

export interface IdentityProvider {
  /** For people: the button says "Sign in with …". */
  readonly name: string;
  readonly issuer: string;
  newExchange(): Promise<Exchange>;
  /** The provider's address to which the browser goes. @throws {Refusal} 503 */
  addressFor(exchange: Exchange): Promise<string>;
  /**
   * Redeems the code with which the browser comes back.
   *
   * @param query of the callback
   * @throws {Refusal} 401 where the provider or a check refuses; 503 where the provider is away
   */
  redeem(query: URLSearchParams, exchange: Exchange): Promise<Identity>;
}

export const CALLBACK = "/sign_in/oidc/callback";

export function createIdentityProvider(
  config: OidcConfig | undefined,
  base_url: string,
  log: Log,
): IdentityProvider | undefined {
  if (!config) return undefined;
  const { issuer, client_id, client_secret, name, role_claim } = config;
  const redirect_uri = base_url + CALLBACK;
  let discovered: { found: Promise<Configuration>; until: number } | undefined;

  const discover = async (): Promise<Configuration> => {
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, customFetch, discovery, ...more } =
      await load();
    const [basic, post] = [ClientSecretBasic(client_secret), ClientSecretPost(client_secret)];
    // Basic authentication is what a provider that names no method takes.
    const takesBasic = (methods = ["client_secret_basic"]) => methods.includes("client_secret_basic");
    const authenticate: ClientAuth = (server, ...request) =>
      (takesBasic(server.token_endpoint_auth_methods_supported) ? basic : post)(server, ...request);
    return await discovery(new URL(issuer), client_id, undefined, authenticate, {
      timeout: TIMEOUT_MS / 1000,
      [customFetch]: limitedFetch,
      // The library checks signatures of ID tokens only where it is asked to.
      execute: [more.enableNonRepudiationChecks, ...issuer.startsWith("http:") ? [allowInsecureRequests] : []],
    });
  };
  const configuration = async (): Promise<Configuration> => {
    if (!discovered || discovered.until < performance.now()) {
      discovered = { found: discover(), until: performance.now() + BELIEVED_MS };
    }
    try {
      return await discovered.found;
    } catch (error) {
      discovered = undefined;
      throw away(error);
    }
  };
  const away = (error: unknown) => {
    log.error("the OpenID provider is away", { issuer, ...faultOf(error) });
    return unavailable("The OpenID provider does not answer: try again later", undefined, 30);
  };

  return {
    name,
    issuer,
    async newExchange() {
      const { randomNonce, randomPKCECodeVerifier, randomState } = await load();
      return { state: randomState(), nonce: randomNonce(), code_verifier: randomPKCECodeVerifier() };
    },
    async addressFor({ state, nonce, code_verifier }) {
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await load();
      return buildAuthorizationUrl(await configuration(), {
        redirect_uri,
        scope: "openid email profile",
        code_challenge: await calculatePKCECodeChallenge(code_verifier),
        code_challenge_method: "S256",
        state,
        nonce,
      }).href;
    },
    async redeem(query, { state, nonce, code_verifier }) {
      const { authorizationCodeGrant, fetchUserInfo } = await load();
      const provider = await configuration();
      try {
        const tokens = await authorizationCodeGrant(provider, new URL(`${redirect_uri}?${query}`), {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: code_verifier,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (!claims) throw unauthorized();
        const has_more = provider.serverMetadata().userinfo_endpoint !== undefined;
        const more = has_more ? await fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
        return identityOf({ ...more, ...claims }, role_claim);
      } catch (error) {
        if (isAway(error)) throw away(error);
        log.info("OpenID sign-in refused", { issuer, ...faultOf(error) });
        throw unauthorized("The OpenID provider's answer was not accepted");
      }
    },
  };
}

/** Loaded at its first use. */
const load = () => import("openid-client");

const Subject = text(255);

interface Claims {
  iss: string;
  sub: string;
  [claim: string]: unknown;
}

/** @throws {Error} for a subject that OpenID Connect does not allow, or that would not be stored as it is */
function identityOf(claims: Claims, role_claim: string | undefined): Identity {
  // Logins and names are those of any user: trimmed, so that none looks like another one.
  const named = (claim: string) => Name.safeParse(claims[claim]).data;
  const roles = role_claim === undefined ? [] : [claims[role_claim]].flat();
  return {
    issuer: claims.iss,
    subject: Subject.parse(claims.sub),
    email: named("email"),
    email_verified: claims.email_verified === true,
    name: named("name"),
    login: named("preferred_username"),
    roles: roles.filter((role) => typeof role === "string"),
  };
}

class ProviderFault extends Error {
  override name = "ProviderFault";
}

/** A request of the library, which sets the time limit. @throws {ProviderFault} */
async function limitedFetch(url: string, { method, headers, body, signal }: CustomFetchOptions): Promise<Response> {
  try {
    const response = await fetch(url, {
      method,
      headers,
      body: body instanceof Uint8Array ? new Uint8Array(body) : body ?? null,
      redirect: "manual",
      signal: signal ?? null,
    });
    if (response.status >= 500) throw new Error(`status ${response.status}`);
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    let length = 0;
    for await (const chunk of response.body ?? []) {
      length += chunk.length;
      if (length > LARGEST) throw new Error(`an answer of more than ${LARGEST} bytes`);
      chunks.push(chunk);
    }
    const { status } = response;
    return new Response(chunks.length > 0 ? new Blob(chunks) : null, { status, headers: response.headers });
  } catch (cause) {
    throw new ProviderFault(`${new URL(url).host} could not be read`, { cause });
  }
}

/** The library wraps errors of `fetch` in its own. */
const isAway = (error: unknown): boolean =>
  error instanceof ProviderFault || error instanceof Error && !(error instanceof Refusal) && isAway(error.cause);
