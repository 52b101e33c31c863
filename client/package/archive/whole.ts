/** `export` and `import`: a whole account as one file. */
import { open, rename, rm, stat } from "node:fs/promises";
import type { Transport } from "../transport.ts";
import { Fault } from "./files.ts";

const ADDRESS = "/account/archive.tar";

export interface ExportOptions {
  file: string;
  records: boolean;
  runs: boolean;
}

type Say = (line: string) => void;

const messageOf = (error: unknown) => error instanceof Error ? error.message : String(error);

/** The file is there once it is complete. */
export async function exportAccount(
  transport: Transport,
  { file, records, runs }: ExportOptions,
  say: Say,
): Promise<void> {
  // Renaming would fail only after all has come.
  if ((await stat(file).catch(() => undefined))?.isDirectory()) throw new Fault(`${file} is a folder: name a file`);
  const part = `${file}.part`;
  const written = await open(part, "w").catch((error) => {
    throw new Fault(`${file} cannot be written: ${messageOf(error)}`);
  });
  let bytes = 0;
  try {
    await transport.ask("GET", `${ADDRESS}?records=${records}&runs=${runs}`, { repeat: "never" }, async ({ body }) => {
      const reader = body?.getReader();
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        for (let at = 0; at < piece.value.length;) {
          at += (await written.write(piece.value, at, piece.value.length - at)).bytesWritten;
        }
        bytes += piece.value.length;
      }
    });
    await written.close();
    await rename(part, file);
  } catch (error) {
    await written.close();
    await rm(part, { force: true });
    if (bytes === 0) throw error;
    const got = `${bytes.toLocaleString("en")} bytes of the archive had come`;
    throw new Fault(`${file} was not written: ${messageOf(error)}; ${got}`);
  }
  say(`${file} has the account: ${bytes.toLocaleString("en")} bytes`);
}

interface Imported {
  created: Record<string, number>;
  secrets: { kind: string; name: string }[];
  webhooks: { name: string; webhook_url: string }[];
  users: string[];
}

export async function importAccount(transport: Transport, file: string, say: Say): Promise<void> {
  const read = await open(file).catch((error) => {
    throw new Fault(`${file} cannot be read: ${messageOf(error)}`);
  });
  let unread: unknown;
  try {
    const imported = await transport.value("POST", ADDRESS, {
      headers: { "content-type": "application/x-tar" },
      body: bodyOf(read, (error) => unread = error),
      repeat: "never",
    }) as Imported;
    tell(imported, say);
  } catch (error) {
    // The request ends as if the server had gone.
    throw unread === undefined ? error : new Fault(`${file} cannot be read: ${messageOf(unread)}`);
  } finally {
    await read.close();
  }
}

type Opened = Awaited<ReturnType<typeof open>>;
const PIECE = 256 * 1024;

const bodyOf = (file: Opened, failed: (error: unknown) => void): ReadableStream<Uint8Array> =>
  new ReadableStream({
    async pull(controller) {
      const { bytesRead, buffer } = await file.read(new Uint8Array(PIECE), 0, PIECE).catch((error) => {
        failed(error);
        throw error;
      });
      if (bytesRead > 0) controller.enqueue(buffer.subarray(0, bytesRead));
      else controller.close();
    },
  });

function tell({ created, secrets, webhooks, users }: Imported, say: Say): void {
  for (const [name, count] of Object.entries(created)) say(`created  ${count} ${name.replaceAll("_", " ")}`);
  for (const { kind, name } of secrets) say(`secret   ${kind.replaceAll("_", " ")} ${name}: set it again`);
  for (const { name, webhook_url } of webhooks) say(`address  ${name}: ${webhook_url}`);
  for (const login of users) say(`user     ${login} has no password yet`);
}
