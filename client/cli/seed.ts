/**
 * `deno task seed [--url=http://127.0.0.1:8000] [--token=atr_…] [--only=crm_board]`
 *
 * Installs the gallery apps and the examples in a running server, or updates them. An existing app is found by its
 * `url_code`, and what belongs to an example by its code. `--only` names an app or an example. Without options, the
 * server's address is `BASE_URL` and the token is `ADMIN_TOKEN`. Prints one line per app or example. Stops with exit
 * status 1 at the first one that cannot be installed.
 */
import { parseArgs } from "node:util";
import { EXAMPLES } from "../gallery/examples.ts";
import { GALLERY, type GalleryApp, readSource } from "../gallery/gallery.ts";
import { type Client, createClient, isClientError } from "../mod.ts";
import { Fault } from "../package/archive/files.ts";
import { putExample } from "./seed_example.ts";

const USAGE = "usage: deno task seed [--url=<address of the server>] [--token=<token of an admin>] [--only=<name>]";

interface Options {
  url: string;
  token: string;
  only?: string | undefined;
}

function readOptions(args: string[]): Options {
  const { url, token, only } = parse(args);
  if (!URL.canParse(url) || !/^https?:/.test(url)) throw new Fault(`${url} is not an address: it begins with http://`);
  if (!token) {
    throw new Fault("a token is needed: --token=… or ADMIN_TOKEN, as the first start of the server printed it");
  }
  return { url: url.replace(/\/+$/, ""), token, only };
}

function parse(args: string[]): Options {
  const type = "string";
  try {
    const { values } = parseArgs({ args, options: { url: { type }, token: { type }, only: { type } } });
    return {
      only: values.only,
      url: values.url || Deno.env.get("BASE_URL") || "http://127.0.0.1:8000",
      token: values.token || Deno.env.get("ADMIN_TOKEN") || "",
    };
  } catch {
    throw new Fault(USAGE);
  }
}

type Done = "created" | "updated" | "unchanged";

/** What can be installed. */
interface Item {
  name: string;
  /** The `url_code` of its app. */
  opens: string;
  /** What `--only` calls it. */
  called: string;
  put(client: Client): Promise<Done>;
}

const ITEMS: readonly Item[] = [
  ...GALLERY.map((app): Item => ({
    name: app.name,
    opens: app.url_code,
    called: app.url_code,
    put: (client) => putApp(client, app),
  })),
  ...EXAMPLES.map((example): Item => ({
    name: example.name,
    opens: example.opens,
    called: example.folder,
    put: (client) => putExample(client, example),
  })),
];

/** @throws {Fault} */
function chosen(only: string | undefined): readonly Item[] {
  const items = ITEMS.filter(({ called }) => only === undefined || called === only);
  if (items.length > 0) return items;
  throw new Fault(`there is no ${only}: --only takes ${ITEMS.map(({ called }) => called).join(", ")}`);
}

/** Creates or updates one app. */
async function putApp({ apps }: Client, app: GalleryApp): Promise<Done> {
  const { file: _, ...fields } = app;
  const wanted = { ...fields, public: true, active: true, source_code: await readSource(app) };
  const alike = await apps.list.query({ q: app.url_code, per_page: 500 });
  const found = alike.find(({ url_code }) => url_code === app.url_code);
  if (!found) {
    await apps.create.mutate({ app: wanted });
    return "created";
  }
  const current = new Map<string, unknown>(Object.entries(await apps.find.query({ id: found.id })));
  if (Object.entries(wanted).every(([name, value]) => current.get(name) === value)) return "unchanged";
  await apps.update.mutate({ id: found.id, app: wanted });
  return "updated";
}

/** A busy server is asked again: on a slow machine the first compiles take longer than a request waits for them. */
const ATTEMPTS = 8;
const PAUSE_MS = 2_000;

/** Installs an item, also in a server that is busy at first. */
async function putPatiently(client: Client, item: Item): Promise<Done> {
  for (let attempt = 1;; attempt++) {
    try {
      return await item.put(client);
    } catch (error) {
      if (!isClientError(error) || error.data?.httpStatus !== 503 || attempt === ATTEMPTS) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

/** Turns an error of a call into a sentence for the user. @throws {Fault} */
function explain(error: unknown, url: string, name: string): never {
  if (!isClientError(error)) throw error;
  const { data, cause } = error;
  if (data?.httpStatus === 401) throw new Fault(`${url} does not know this token`);
  if (data?.httpStatus === 422) throw new Fault(`${name} is refused: ${sentences(data.body)}`);
  if (data) throw new Fault(`${name} ${data.httpStatus < 500 ? "is refused" : "failed"}: ${error.message}`);
  if (cause instanceof SyntaxError) throw new Fault(`what answers at ${url} is not Atrium`);
  throw new Fault(`nothing answers at ${url}: start it with \`deno task start\`, or name its address with --url`);
}

/** The messages of all fields in one line. Of compiler messages, only the first line is kept. */
const sentences = (fields: Record<string, unknown>) =>
  Object.entries(fields)
    .flatMap(([field, messages]) => [messages].flat().map((message) => `${field} ${String(message).split("\n", 1)[0]}`))
    .join("; ");

const write = (text: string, to: { writeSync(bytes: Uint8Array): number }) =>
  to.writeSync(new TextEncoder().encode(`${text}\n`));

async function seed(args: string[]): Promise<void> {
  const { url, token, only } = readOptions(args);
  const items = chosen(only);
  const client = createClient({ url, token });
  for (const item of items) {
    const done = await putPatiently(client, item).catch((error) => explain(error, url, item.name));
    write(`${done.padEnd(9)}  ${item.name.padEnd(12)}  ${url}/a/${item.opens}`, Deno.stdout);
  }
}

try {
  await seed(Deno.args);
} catch (error) {
  if (!(error instanceof Fault)) throw error;
  write(error.message, Deno.stderr);
  Deno.exit(1);
}
