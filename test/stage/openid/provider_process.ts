/**
 * A provider of OpenID Connect in a process of its own, as `oidc-provider` is. It signs everybody in at once: as the person
 * that the parameter `login_hint` names, with the claims that the test has put to `/people`. It prints its issuer.
 */
import { createServer, type IncomingMessage } from "node:http";
import { Provider } from "../../packages/oidc_provider.ts";

const [redirect_uri = ""] = Deno.args;

let people: Record<string, Record<string, unknown>> = {};

const server = createServer();
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const issuer = `http://localhost:${address.port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: "atrium", client_secret: "secret of the client", redirect_uris: [redirect_uri] }],
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["name", "preferred_username", "atrium_role"],
    },
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ sub: accountId, ...people[accountId] }),
    }),
    interactions: { url: (_: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    // deno-lint-ignore no-explicit-any -- the package has no types
    async loadExistingGrant({ oidc }: any) {
      const grant = new provider.Grant({ accountId: oidc.session.accountId, clientId: oidc.client.clientId });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    if (request.url === "/people") {
      people = JSON.parse(await bodyOf(request));
      return response.end();
    }
    if (!request.url?.startsWith("/interaction/")) return answer(request, response);
    const { params } = await provider.interactionDetails(request, response);
    await provider.interactionFinished(request, response, { login: { accountId: String(params.login_hint) } });
  });
  void Deno.stdout.write(new TextEncoder().encode(`${issuer}\n`));
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += chunk;
  return text;
}
