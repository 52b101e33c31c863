/** Starts a provider of OpenID Connect in its own process, and goes through it as a browser does. */

/** Claims by subject. */
export type People = Record<string, Record<string, unknown>>;

export interface OpenId extends AsyncDisposable {
  /** For the server under test. */
  environment: Record<string, string>;
  issuer: string;
  /** Replaces what the provider knows of people. */
  set(people: People): Promise<void>;
  /** Signs in as one person at the address that the server redirects to. @returns path and query of the callback */
  authorize(address: string, subject: string): Promise<string>;
  kill(): Promise<void>;
}

/** @param base_url of the server under test */
export async function startOpenId(base_url: string): Promise<OpenId> {
  const callback = `${base_url}/sign_in/oidc/callback`;
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      `--lock=${new URL("../../deno.lock", import.meta.url).pathname}`,
      new URL("provider_process.ts", import.meta.url).pathname,
      callback,
    ],
    stdout: "piped",
    stderr: "null",
    env: { NODE_ENV: "test" },
  }).spawn();
  const kill = async () => {
    try {
      child.kill("SIGKILL");
    } catch {
      // It has ended.
    }
    await child.status;
  };
  const issuer = await firstLine(child.stdout);
  return {
    issuer,
    environment: {
      OIDC_ISSUER: issuer,
      OIDC_CLIENT_ID: "atrium",
      OIDC_CLIENT_SECRET: "secret of the client",
      OIDC_NAME: "Example <ID>",
      OIDC_ROLE_CLAIM: "atrium_role",
    },
    async set(people) {
      const response = await fetch(`${issuer}/people`, { method: "PUT", body: JSON.stringify(people) });
      await response.body?.cancel();
    },
    authorize: (address, subject) => authorize(`${address}&login_hint=${subject}`, callback),
    kill,
    [Symbol.asyncDispose]: kill,
  };
}

/** @throws {Error} where the process ends without a line */
async function firstLine(output: ReadableStream<Uint8Array>): Promise<string> {
  const reader = output.getReader();
  let text = "";
  while (!text.includes("\n")) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the OpenID provider has not started");
    text += new TextDecoder().decode(value);
  }
  reader.releaseLock();
  // The pipe stays open, and empty.
  void output.pipeTo(new WritableStream()).catch(() => {});
  return text.split("\n")[0] ?? "";
}

/** Follows redirects with the provider's cookies, up to the callback. */
async function authorize(address: string, callback: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next = address;
  for (let step = 0; step < 10; step++) {
    if (next.startsWith(callback)) return next.slice(new URL(next).origin.length);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(next, { redirect: "manual", headers: { cookie } });
    const text = await response.text();
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = set.split(";")[0]?.split("=") ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get("location");
    if (location === null) throw new Error(`the provider answered ${response.status}: ${text.slice(0, 2_000)}`);
    next = new URL(location, next).href;
  }
  throw new Error("the provider redirects without end");
}
