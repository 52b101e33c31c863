import assert from "node:assert/strict";
import { createRedactor } from "../redaction/redact.ts";
import { shownUrl } from "./shown_url.ts";

Deno.test("shown url: without the secret, wherever it is, and without a short one that is found by its name", async () => {
  const auth = { type: "query", name: "key" } as const;
  const shown = (url: string, secret: string, is_in_query = true) =>
    shownUrl({ fields: is_in_query ? { auth } : {}, redactor: createRedactor([secret]) }, new URL(url));
  assert.equal(await shown("https://api.test/x?q=1&key=k1", "k1"), "https://api.test/x?q=1&key=[redacted]");
  assert.equal(await shown("https://api.test/x?key=k1", "k1"), "https://api.test/x?key=[redacted]");
  assert.equal(
    await shown("https://api.test/pass+word/x?q=pass%2Bword", "pass+word", false),
    "https://api.test/[redacted]/x?q=[redacted]",
  );
});
