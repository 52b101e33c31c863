/** `/embed.js`, which host pages include: one file as a classic script and as a module. */
import { type PlainRoute, UNCHANGED } from "../plain_route.ts";
import { queryOf } from "../address.ts";
import { FOR_EVERYONE } from "./assets.ts";
import { respond, variantsOf } from "./variants.ts";

/** An ES module, minified by `deno task build`. */
const MODULE = new URL("../../../client/embed/embed.min.js", import.meta.url);
const TYPE = "text/javascript; charset=utf-8";

export const EMBED_SCRIPT: PlainRoute = {
  method: "GET",
  path: "/embed.js",
  name: "read_embed_script",
  tag: "files",
  summary: "Read the script that shows apps in other pages",
  description: "As a classic script it shows the apps of its `data-target`, or the app of its `data-app`, in its own " +
    "place. As a module it exports `embed(element, { app, target, viewer })`. Browsers say by `Sec-Fetch-Mode` which of " +
    "the two they load; `?module` asks for the module.",
  callers: "everyone",
  parameters: [{ in: "query", name: "module", example: "", description: "Asks for the module, whatever loads it" }],
  replies: { 200: { description: "The script", content: { "text/javascript": {} } }, 304: UNCHANGED },
  async answer({ documents, call: { request } }) {
    const as_module = queryOf(request.url).has("module") || loadsModule(request);
    const script = await documents.find(as_module ? "embed module" : "embed script", async () => {
      const code = await Deno.readTextFile(MODULE);
      return variantsOf(as_module ? code : classic(code), TYPE);
    });
    const response = respond(request, script, "public, max-age=300", FOR_EVERYONE);
    response.headers.append("vary", "sec-fetch-mode, sec-fetch-dest");
    return response;
  },
};

/** Browsers load modules with CORS, and classic scripts without it. */
const loadsModule = ({ headers }: Request): boolean =>
  headers.get("sec-fetch-dest") === "script" && headers.get("sec-fetch-mode") === "cors";

/** A classic script has neither `import.meta` nor exports, and leaves no names behind. */
export const classic = (module: string): string =>
  `(()=>{${
    module.trim().replace("import.meta.url", "document.currentScript.src").replace(/export (?=function)/, "")
  }})();\n`;
