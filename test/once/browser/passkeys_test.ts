/** Passkeys on the sign-in page, with Chromium's virtual authenticator. */
import { deepEqual, equal, match } from "node:assert/strict";
import type { Browser, Page } from "../../packages/playwright.ts";
import { browserTest, complaintsOf } from "../../stage/browser.ts";
import { ADMIN_PASSWORD, startServer, type TestServer } from "../../stage/harness.ts";

/** Passkeys belong to BASE_URL, and so to a port that is known before the server starts. */
async function serveOnLocalhost(): Promise<{ server: TestServer; base: string; close(): Promise<void> }> {
  const started = Promise.withResolvers<TestServer>();
  const http = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => (await started.promise).handler(request),
  );
  const base = `http://localhost:${http.addr.port}`;
  const server = await startServer({ BASE_URL: base });
  started.resolve(server);
  return {
    server,
    base,
    async close() {
      await http.shutdown();
      await server.close();
    },
  };
}

/** Gives the page's browser a virtual authenticator. */
async function addAuthenticator(page: Page) {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  const options = {
    protocol: "ctap2",
    transport: "internal",
    hasResidentKey: true,
    hasUserVerification: true,
    isUserVerified: true,
    automaticPresenceSimulation: true,
  } as const;
  const { authenticatorId } = await devtools.send("WebAuthn.addVirtualAuthenticator", { options });
  return {
    credentials: async () => (await devtools.send("WebAuthn.getCredentials", { authenticatorId })).credentials,
    clear: () => devtools.send("WebAuthn.clearCredentials", { authenticatorId }),
  };
}

browserTest("passkeys in a browser", async ({ browser, step }) => {
  const { server, base, close } = await serveOnLocalhost();
  try {
    await step("a member adds one, signs out and signs in with it", () => usesPasskey(browser, server, base));
  } finally {
    await close();
  }
});

async function usesPasskey(browser: Browser, server: TestServer, base: string): Promise<void> {
  await server.sql`delete from passkeys`;
  const page = await browser.newPage();
  try {
    const complaints = complaintsOf(page);
    const authenticator = await addAuthenticator(page);
    await page.goto(`${base}/sign_in?return_to=%2Fopenapi.json`);
    equal(await page.locator("script").count(), 0, "nobody has a passkey yet");
    await page.getByLabel("Login or e-mail").fill("admin");
    await page.getByLabel("Password").fill(ADMIN_PASSWORD);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(`${base}/openapi.json`);

    await page.goto(`${base}/sign_in`);
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("Added: Chrome on Linux. You can now sign in with it.").waitFor();
    const [credential] = await authenticator.credentials();
    equal(credential?.isResidentCredential, true, "it signs in without a login");
    equal(credential?.rpId, "localhost");
    await page.getByRole("button", { name: "Add a passkey" }).click();
    await page.getByText("This device already has a passkey for you.").waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    // The next address would cancel the load of this one.
    await page.getByRole("button", { name: "Sign in with a passkey" }).waitFor();
    await page.goto(`${base}/sign_in?return_to=%2Fopenapi.json`);
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL(`${base}/openapi.json`);
    await page.goto(`${base}/sign_in`);
    match(await page.locator("main").innerText(), /Signed in as Admin/);
    const [cookie] = await page.context().cookies();
    deepEqual([cookie?.name, cookie?.httpOnly, cookie?.sameSite], ["session", true, "Lax"]);

    await page.getByRole("button", { name: "Sign out" }).click();
    await authenticator.clear();
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.getByText("No passkey was used.").waitFor();
    deepEqual(complaints, []);
  } finally {
    await page.close();
  }
}
