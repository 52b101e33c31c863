import assert from "node:assert/strict";
import { createPasswords } from "./passwords.ts";

Deno.test("passwords: a hash costs what makes guessing slow, is salted, and leaves the event loop alone", async () => {
  const passwords = createPasswords();
  const hashes = Promise.all([passwords.hash("correct horse"), passwords.hash("correct horse")]);
  let is_done = false;
  const done = hashes.then(() => is_done = true);
  await new Promise((resolve) => setTimeout(resolve));
  assert.ok(!is_done, "other work goes on meanwhile");
  await done;
  const [one = "", other] = await hashes;
  assert.match(one, /^\$scrypt\$ln=15,r=8,p=3\$[\w+/]{22}\$[\w+/]{43}$/);
  assert.notEqual(one, other);
  assert.deepEqual(
    await Promise.all([passwords.verify("correct horse", one), passwords.verify("correct house", one)]),
    [true, false],
  );
});

Deno.test("passwords: a hash of another cost is compared at its own", async () => {
  const quick = await createPasswords(4).hash("correct horse");
  assert.match(quick, /^\$scrypt\$ln=4,/);
  assert.equal(await createPasswords().verify("correct horse", quick), true);
  assert.equal(await createPasswords(4).verify("correct horse", null), false);
});
