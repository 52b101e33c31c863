/** The script of the sign-in page that uses passkeys: @simplewebauthn/browser, and what the page does with it. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { type PlainRoute, UNCHANGED } from "../plain_route.ts";
import { respond, variantsOf } from "./variants.ts";

export const PASSKEY_SCRIPT = "/sign_in/passkeys.js";

const OWN = new URL("../../../client/sign_in/passkeys.js", import.meta.url);

/** Never called. Deno fetches and resolves only packages that some module imports. */
export const keepsCached = () => import("@simplewebauthn/browser");

/** The library defines the global `SimpleWebAuthnBrowser`. Its licence asks that copies carry the notice. */
async function build(): Promise<string> {
  const library = dirname(dirname(fileURLToPath(import.meta.resolve("@simplewebauthn/browser"))));
  const [licence, bundle, own] = await Promise.all([
    Deno.readTextFile(`${library}/LICENSE.md`),
    Deno.readTextFile(`${library}/dist/bundle/index.umd.min.js`),
    Deno.readTextFile(OWN),
  ]);
  return `/*\n${licence.trim().replaceAll("*/", "")}\n*/\n${bundle}\n${own}`;
}

export const PASSKEYS: PlainRoute = {
  method: "GET",
  path: PASSKEY_SCRIPT,
  name: "read_passkey_script",
  tag: "files",
  summary: "Read the sign-in page's script for passkeys",
  callers: "everyone",
  replies: { 200: { description: "The script", content: { "text/javascript": {} } }, 304: UNCHANGED },
  async answer({ documents, call }) {
    const script = await documents.find(
      "passkeys",
      async () => variantsOf(await build(), "text/javascript; charset=utf-8"),
    );
    return respond(call.request, script, "public, no-cache", { "x-content-type-options": "nosniff" });
  },
};
