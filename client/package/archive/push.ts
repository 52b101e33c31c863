/** `push`: shows what a folder would change on a server, and changes it when that is agreed to. */
import { stat } from "node:fs/promises";
import type { Transport } from "../transport.ts";
import { hostOf, readBase, writeBase } from "./base.ts";
import { Fault, type Files, readFiles } from "./files.ts";
import { filesOf, inOrderOf, nameOf, pathOf, type Thing, thingsOf, tidy, withEndingsOf } from "./folder.ts";
import { merge } from "./merge.ts";
import {
  type Conflict,
  type Plan,
  type PlannedChange,
  type Present,
  type Push,
  push as send,
  readThings,
} from "./server.ts";

export interface PushOptions {
  folder: string;
  url: string;
  /** Deletes on the server what was deleted here. */
  delete: boolean;
  dry_run: boolean;
  /** Another folder as the base, such as a checkout of what was deployed last. */
  base?: string | undefined;
  /** Only this thing, such as `apps/counter`. */
  only?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  agree(): Promise<boolean>;
}

/** @returns whether the server now has what the folder has. @throws {Fault} where files cannot be read */
export async function push(transport: Transport, options: PushOptions, say: (line: string) => void): Promise<boolean> {
  const { folder, url, only } = options;
  const here = await readFiles(folder);
  const { things, faults } = thingsOf(here);
  const chosen = only === undefined ? things : things.filter((thing) => nameOf(thing) === only);
  const relevant = only === undefined ? faults : faults.filter((fault) => fault.startsWith(`${only}.`));
  if (relevant.length > 0) throw new Fault(relevant.join("\n"));
  if (things.length === 0) throw new Fault(`${folder} has no apps, databases, flows or others`);
  const known = options.base === undefined ? await readBase(folder, url) : await readBaseAt(options.base, say);
  const base = withEndingsOf(here, known);
  const present = await readThings(transport);
  const archive = archiveOf(chosen, { ...options, here, base, present });
  const plan = await send(transport, { ...archive, dry_run: true });
  for (const line of linesOf(plan)) say(line);
  for (const conflict of plan.conflicts) for (const line of differenceOf(conflict, here, base, hostOf(url))) say(line);
  const is_refused = plan.conflicts.length > 0 || plan.changes.some(({ faults }) => Object.keys(faults).length > 0);
  if (is_refused) {
    say(plan.conflicts.length > 0 ? "Nothing was changed. Pull, and decide what is to stay." : "Nothing was changed.");
    return false;
  }
  const changes = plan.changes.filter(({ action }) => action !== "keep");
  const etags = new Map([...present, ...plan.changes].map((thing) => [nameOf(thing), thing.etag]));
  if (changes.length > 0) {
    if (options.dry_run) return true;
    if (!await options.agree()) {
      say("Nothing was changed.");
      return false;
    }
    const applied = await send(transport, { ...archive, dry_run: false });
    for (const { key, webhook_url } of applied.changes) {
      if (webhook_url) say(`The address of ${key}, shown once: ${webhook_url}`);
    }
    say(`${hostOf(url)} has ${changes.length} ${changes.length === 1 ? "change" : "changes"}.`);
  } else if (plan.changes.length === 0) say(`${hostOf(url)} has what ${only ?? folder} has.`);
  if (!options.dry_run && options.base === undefined) {
    await record(transport, options, { here, base, etags, things: chosen });
  }
  return true;
}

/** A first deployment has no base. Then all that the server has already is a conflict, so that is said. */
async function readBaseAt(folder: string, say: (line: string) => void): Promise<Files> {
  const is_folder = await stat(folder).then((found) => found.isDirectory(), () => false);
  if (!is_folder) say(`--base ${folder} is no folder: this counts as the first deployment.`);
  return await readFiles(folder);
}

/** Records what the server has of the things that are here. */
async function record(
  transport: Transport,
  { folder, url, only, ...options }: PushOptions,
  { here, base, etags, things }: Pushed,
): Promise<void> {
  const paths = new Set(things.map(pathOf));
  const there = new Map((await readThings(transport)).map((thing) => [nameOf(thing), thing]));
  const recorded = things.flatMap((thing) => {
    const is = there.get(nameOf(thing));
    // Changes that other users made since are not known here: the next push reports them as conflicts.
    return [...filesOf(is && is.etag === etags.get(nameOf(thing)) ? is : thing, here)];
  });
  // What was deleted here and kept on the server is still to be deleted.
  const others = [...base].filter(([path]) => {
    const name = path.slice(0, path.lastIndexOf("."));
    return !paths.has(name) && (only !== undefined || !options.delete);
  });
  await writeBase(folder, url, new Map([...recorded, ...others]));
}

interface Pushed {
  here: Files;
  base: Files;
  /** Of the things as this push leaves them. */
  etags: ReadonlyMap<string, string | null>;
  things: readonly Thing[];
}

interface Known extends Pick<PushOptions, "only" | "delete" | "environment"> {
  here: Files;
  base: Files;
  present: readonly Present[];
}

/** Only what may differ is sent with its value: the server compares it with what it has. */
function archiveOf(things: readonly Thing[], { here, base, present, only, environment, ...options }: Known): Push {
  const there = new Map(present.map((thing) => [nameOf(thing), thing]));
  const known = new Map(thingsOf(base).things.map((thing) => [nameOf(thing), thing]));
  const archive: Push = { things: [], base: [], delete: options.delete, secrets: secretsOf(things, environment) };
  const gone = only === undefined
    ? [...known.values()].filter((thing) => !things.some((one) => nameOf(one) === nameOf(thing)))
    : [];
  for (const thing of things) {
    const { kind, key } = thing;
    const is = there.get(nameOf(thing));
    if (is && sameText(thing, is, here)) continue;
    const renamed_from = is ? undefined : thing.renamed_from ?? renamedFrom(thing, gone);
    archive.things.push({ kind, key, value: thing.value, renamed_from });
    const old = renamed_from === undefined ? nameOf(thing) : nameOf({ kind, key: renamed_from });
    const was = known.get(old);
    const now = there.get(old);
    if (!was) continue;
    const is_known = now && (sameText(was, now, base) || hasChanges(thing, was, now, here));
    archive.base.push({ kind, key: was.key, ...is_known ? { etag: now.etag } : { value: was.value } });
  }
  const mentioned = new Set(archive.base.map(nameOf));
  for (const thing of gone) {
    const { kind, key, value } = thing;
    const is = there.get(nameOf(thing));
    if (!is || mentioned.has(nameOf(thing))) continue;
    archive.base.push({ kind, key, ...sameText(thing, is, base) ? { etag: is.etag } : { value } });
  }
  return archive;
}

const textsOf = (thing: Thing, known: Files): string => JSON.stringify([...filesOf(thing, known)]);
const sameText = (one: Thing, other: Thing, known: Files): boolean =>
  one.key === other.key && textsOf(one, known) === textsOf(other, known);

/** Whether the folder has the server's changes already, for example because they came with Git. */
function hasChanges(thing: Thing, was: Thing, is: Thing, known: Files): boolean {
  const ordered = { ...thing, value: inOrderOf(thing.value, is.value) };
  const [mine, old, theirs] = [ordered, was, is].map((one) => filesOf(one, known));
  if (!mine || !old || !theirs) return false;
  return [...mine].every(([path, text]) => {
    const { text: merged, conflicts } = merge(old.get(path) ?? "", text, theirs.get(path) ?? "", "");
    return conflicts === 0 && merged === text;
  });
}

/** A thing under another name whose definition is otherwise the same. Of several, the one that is called the same. */
function renamedFrom(thing: Thing, gone: readonly Thing[]): string | undefined {
  const contents = ({ value: { name: _, ...rest } }: Thing) => JSON.stringify(rest);
  const alike = gone.filter((one) => one.kind === thing.kind && contents(one) === contents(thing));
  const same = alike.filter((one) => one.value.name === thing.value.name);
  const [found, ...others] = same.length > 0 ? same : alike;
  return others.length === 0 ? found?.key : undefined;
}

/** `ATRIUM_SECRET_CONNECTOR_FX` is the secret of the connector fx. */
export const secretName = ({ kind, key }: Pick<Thing, "kind" | "key">): string =>
  `ATRIUM_SECRET_${kind}_${key}`.toUpperCase().replace(/-/g, "_");

function secretsOf(things: readonly Thing[], environment: PushOptions["environment"]): Record<string, string> {
  return Object.fromEntries(
    things.filter(({ kind }) => kind === "connector" || kind === "trigger").flatMap((thing) => {
      const secret = environment[secretName(thing)];
      return secret ? [[`${thing.kind}/${thing.key}`, secret]] : [];
    }),
  );
}

const SECRETS = ["secret_token", "webhook.secret"];

const SIGNS = { create: "+", change: "~", rename: ">", delete: "-", keep: " " };

function* linesOf({ changes, unchanged }: Plan): Generator<string> {
  for (const change of changes) {
    yield sentenceOf(change);
    for (const what of ["faults", "warnings"] as const) {
      for (const [field, messages] of Object.entries(change[what])) {
        yield* indented(what === "faults" ? "refused" : "warning", field, messages);
        if (SECRETS.includes(field)) yield `      ${secretName(change)} in the environment sets it`;
      }
    }
  }
  if (unchanged > 0) {
    yield `  ${unchanged} ${
      unchanged === 1 ? "thing is written differently and means" : "things are written differently and mean"
    } the same`;
  }
}

function sentenceOf(change: PlannedChange): string {
  const { action, from, fields } = change;
  const name = nameOf(change);
  const sign = SIGNS[action];
  if (action === "keep") return `${sign} keep    ${name}: deleted here. It stays without --delete`;
  if (action === "rename") return `${sign} rename  ${nameOf({ kind: change.kind, key: from ?? "" })} to ${name}`;
  return `${sign} ${action.padEnd(6)}  ${name}${
    fields.length > 0 && action === "change" ? `: ${fields.join(", ")}` : ""
  }`;
}

function* indented(what: string, field: string, messages: readonly string[]): Generator<string> {
  for (const message of messages) {
    const [first = "", ...rest] = message.split("\n");
    yield `    ${what}: ${field === "base" ? "" : `${field} `}${first}`;
    for (const line of rest) yield `      ${line}`;
  }
}

/** The three versions of a thing, as one text with markers. */
function* differenceOf(conflict: Conflict, here: Files, base: Files, host: string): Generator<string> {
  const { kind, key, server } = conflict;
  yield "";
  if (!server) return yield `${nameOf(conflict)}: conflict. It was deleted on the server ${host}`;
  yield `${nameOf(conflict)}: conflict. The server ${host} has changed it since you pulled`;
  const there = filesOf({ kind, key, value: server.value }, here);
  for (const [path, text] of there) {
    const [mine, old] = [here.get(path), base.get(path)].map((one) => one && tidy(path, one, text));
    if (mine === text) continue;
    yield `--- ${path}`;
    if (mine === undefined) yield `    deleted here, changed on the server ${host}`;
    else yield* merge(old ?? "", mine, text, host).text.replace(/\n$/, "").split("\n");
  }
}
