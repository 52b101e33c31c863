/** The types of the module `platform` that apps import, for their authors' editors. */
import { type PlainRoute, UNCHANGED } from "../plain_route.ts";
import { FOR_EVERYONE } from "./assets.ts";
import { respond, variantsOf } from "./variants.ts";

const TYPES = new URL("../../../client/app/platform.d.ts", import.meta.url);

export const PLATFORM_TYPES: PlainRoute = {
  method: "GET",
  path: "/platform.d.ts",
  name: "read_platform_types",
  tag: "files",
  summary: "Read the types of the `platform` module",
  description: "TypeScript declarations for authors who write apps in an editor.",
  callers: "everyone",
  replies: { 200: { description: "The declarations", content: { "text/plain": {} } }, 304: UNCHANGED },
  async answer({ documents, call }) {
    const types = await documents.find(
      "platform types",
      async () => variantsOf(await Deno.readTextFile(TYPES), "text/plain; charset=utf-8"),
    );
    return respond(call.request, types, "public, no-cache", FOR_EVERYONE);
  },
};
