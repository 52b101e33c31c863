import assert from "node:assert/strict";
import { Refusal } from "../../../errors.ts";
import { sourceOf } from "./source.ts";

Deno.test("source: an archive that the data folder does not take is refused as unavailable", async () => {
  const parent = await Deno.makeTempDir({ prefix: "atrium_source_" });
  const source = sourceOf({ database_url: undefined, data_dir: `${parent}/missing` }, new Blob(["tar"]).stream());
  await assert.rejects(
    source.next(),
    (error) => error instanceof Refusal && error.status === 503 && error.cause instanceof Deno.errors.NotFound,
  );
  await Deno.remove(parent);
});
