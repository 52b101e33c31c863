/** `dev`: watches an app's files, and pushes each change that compiles. */
import { watch } from "node:fs/promises";
import { join } from "node:path";
import { PlatformError } from "../../app/platform_error.js";
import type { Transport } from "../transport.ts";
import { Fault, readFiles } from "./files.ts";
import { pathOf, type Thing, thingsOf } from "./folder.ts";
import { push, type PushOptions } from "./push.ts";

/** Editors write a file in several steps. */
const QUIET_MS = 80;

export interface DevOptions extends Omit<PushOptions, "only" | "dry_run" | "delete" | "agree" | "base"> {
  /** The app's file name without its ending. */
  app: string;
  signal?: AbortSignal | undefined;
}

/** Returns when the signal aborts. */
export async function dev(transport: Transport, options: DevOptions, say: (line: string) => void): Promise<void> {
  const { app, folder, signal } = options;
  if (!await findApp(folder, app)) throw new Fault(`${folder} has no apps/${app}.json`);
  const changes = watch(join(folder, "apps"), { signal });
  await save(transport, options, say);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let saving: Promise<void> = Promise.resolve();
  const again = () => {
    clearTimeout(timer);
    timer = setTimeout(() => saving = saving.then(() => save(transport, options, say)), QUIET_MS);
  };
  try {
    for await (const { filename } of changes) if (filename === null || isOf(app, filename)) again();
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    clearTimeout(timer);
    await saving;
  }
}

const isOf = (app: string, filename: string) => `apps/${filename}`.startsWith(`${pathOf({ kind: "app", key: app })}.`);

async function findApp(folder: string, app: string): Promise<Thing | undefined> {
  const { things, faults } = thingsOf(await readFiles(folder));
  const fault = faults.find((fault) => fault.startsWith(`apps/${app}.`));
  if (fault) throw new Fault(fault);
  return things.find(({ kind, key }) => kind === "app" && key === app);
}

/** A mistake is told; the next change is another attempt. */
async function save(transport: Transport, options: DevOptions, say: (line: string) => void): Promise<void> {
  try {
    const thing = await findApp(options.folder, options.app);
    if (!thing) throw new Fault(`apps/${options.app}.json is gone`);
    const saved = { ...options, only: `apps/${options.app}`, dry_run: false, delete: false };
    const done = await push(transport, { ...saved, agree: () => Promise.resolve(true) }, say);
    // An app without a `url_code` is opened by its id, which files do not have.
    const address = thing.value.url_code === null ? "" : `${options.url.replace(/\/+$/, "")}/a/${options.app}`;
    if (done) say(`saved    ${address}`.trimEnd());
  } catch (error) {
    if (!(error instanceof Fault || error instanceof PlatformError)) throw error;
    say(error.message);
  }
}
