/** CORS: what a sandboxed app page, which has an opaque origin, may send and read. */
import assert from "node:assert/strict";
import { onSharedServer, type Scenario } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const NO_APP = "0193a5c8-7a40-7c3e-9a43-6f0c2a9d1e55";
const PATHS: [method: "GET" | "POST", path: string][] = [
  ["POST", `/platform/apps/${NO_APP}/action/rate`],
  ["POST", `/platform/apps/${NO_APP}/action/a%20b%3F`],
  ["GET", `/platform/apps/${NO_APP}/action/rate/status?flow_process_id=${NO_APP}`],
  ...["list", "create", "update", "delete", "anything"].map((method): ["POST", string] => [
    "POST",
    `/platform/db/nowhere/${method}`,
  ]),
];

inAccount(
  "calls of apps: from an opaque origin they may be sent, and what is missing is readable",
  async ({ play }) => {
    await play(PATHS.flatMap(([method, path]): Scenario[] => [
      {
        name: `OPTIONS ${path}: allowed, without credentials`,
        method: "OPTIONS",
        path,
        sent: {
          token: null,
          headers: {
            origin: "null",
            "access-control-request-method": method,
            "access-control-request-headers": "content-type, x-app-token",
          },
        },
        status: 204,
        headers: {
          "access-control-allow-origin": "*",
          "access-control-allow-credentials": null,
          "access-control-allow-methods": new RegExp(`\\b${method}\\b`),
          "access-control-allow-headers": /authorization, content-type, x-app-token/,
        },
      },
      {
        name: `${method} ${path}: as if it were private, unless nothing can have that name`,
        method,
        path,
        sent: { token: null, headers: { origin: "null" }, ...(method === "POST" && { json: {} }) },
        status: /%20|anything$/.test(path) ? 404 : 401,
        headers: {
          "access-control-allow-origin": "*",
          "access-control-allow-credentials": null,
          "access-control-expose-headers": /retry-after/,
          "set-cookie": null,
        },
      },
    ]));
  },
);

inAccount("platform.d.ts: for everyone, cached until it changes", async ({ ask, play }) => {
  const path = "/platform.d.ts";
  const { body, headers } = await ask("GET", path, { token: null });
  assert.equal(body, await Deno.readTextFile(new URL("../../../client/app/platform.d.ts", import.meta.url)));
  const etag = headers.get("etag") ?? "";
  const always = { "access-control-allow-origin": "*", etag, "cache-control": /^public, no-cache\b/ };
  await play([
    {
      name: "GET without login",
      method: "GET",
      path,
      sent: { token: null },
      status: 200,
      headers: { ...always, "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
    },
    { name: "HEAD", method: "HEAD", path, sent: { token: null }, status: 200, headers: always },
    {
      name: "304 with its ETag",
      method: "GET",
      path,
      sent: { token: null, headers: { "if-none-match": etag } },
      status: 304,
      headers: always,
    },
    { name: "POST is 405", method: "POST", path, sent: { token: null }, status: 405 },
  ]);
});
