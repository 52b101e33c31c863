/** A server of the flow benches. */
import { randomBytes } from "node:crypto";
import { V8_FLAGS } from "../../../server/process/v8_flags.ts";
import { freePort } from "../../stage/network/ports.ts";
import { launch } from "../measure/servers.ts";

/** @param folder for its data and its log */
export async function startAtrium(folder: string, env: Record<string, string>) {
  const token = `atr_${randomBytes(24).toString("hex")}`;
  const port = freePort();
  const site = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  const { pid, stop, says } = await launch({
    args: [V8_FLAGS, "-P", "main.ts"],
    env: {
      BASE_URL: site,
      DATA_DIR: `${folder}/data`,
      ADMIN_TOKEN: token,
      ADMIN_PASSWORD: randomBytes(12).toString("hex"),
      // As behind a reverse proxy: without one, the process forwards each connection itself.
      TRUSTED_PROXIES: "1",
      SECRET_KEYS: `k1:${randomBytes(32).toString("base64")}`,
      ...env,
    },
    log: `${folder}/ours.log`,
    first: "/account/departments.json",
    headers,
  }, port);
  const post = async (path: string, body: unknown): Promise<{ id: string }> => {
    const response = await fetch(`${site}${path}`, {
      method: "POST",
      headers: { ...headers, "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return await response.json();
  };
  return { pid, stop, says, site, headers, post };
}
