/** `GET /platform.d.ts`: the types of what apps import from `platform`, for their authors' editors. */
import type { Hono } from "hono";
import { FOR_EVERYONE } from "./assets.ts";
import { type Env, mountOthers } from "../rest/rest.ts";
import { respond, type Variants, variantsOf } from "./variants.ts";

const TYPES = new URL("../../../client/app/platform.d.ts", import.meta.url);

export function mountPlatformTypes(app: Hono<Env>): void {
  let types: Variants | undefined;
  app.get("/platform.d.ts", async (c) => {
    types ??= variantsOf(await Deno.readTextFile(TYPES), "text/plain; charset=utf-8");
    return respond(c.req.raw, types, "public, no-cache", FOR_EVERYONE);
  });
  mountOthers(app, "/platform.d.ts", ["GET"]);
}
