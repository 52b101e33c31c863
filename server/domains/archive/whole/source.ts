/** Where an import reads from. */
import type { Config } from "../../../config.ts";
import { unavailable } from "../../../errors.ts";
import { chunksOf } from "../../records/arriving.ts";

/**
 * The bytes of a body. With PostgreSQL they are read as they arrive. An import into the embedded database is one
 * transaction, for which all other requests wait: there, the body is first stored in a file, so that a slow
 * sender delays no request.
 *
 * @throws {Refusal} 400 if the body breaks off; 408 if the sender is silent for too long; 503 if the file cannot be
 *   written, for example because the disk is full
 */
export async function* sourceOf(
  { database_url, data_dir }: Pick<Config, "database_url" | "data_dir">,
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array, void, undefined> {
  if (database_url !== undefined) return yield* chunksOf(body);
  const path = await stored(Deno.makeTempFile({ dir: data_dir, prefix: "import_", suffix: ".tar" }));
  const file = await stored(Deno.open(path, { read: true, write: true }));
  // A file without a name is gone with the process, however that ends. Windows removes no open file.
  const is_removed = await Deno.remove(path).then(() => true, () => false);
  try {
    for await (const chunk of chunksOf(body)) {
      for (let at = 0; at < chunk.length;) at += await stored(file.write(chunk.subarray(at)));
    }
    await file.seek(0, Deno.SeekMode.Start);
    const buffer = new Uint8Array(64 * 1024);
    for (let length = await file.read(buffer); length !== null; length = await file.read(buffer)) {
      yield buffer.slice(0, length);
    }
  } finally {
    file.close();
    if (!is_removed) await Deno.remove(path);
  }
}

/** Seconds after which a sender may try again. An operator has to free space first. */
const RETRY_AFTER = 60;

const stored = <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((cause) => {
    throw unavailable("The archive cannot be stored in the server's data folder. The log says why", cause, RETRY_AFTER);
  });
