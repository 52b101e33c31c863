/** Arguments of commands. What the commands do: start_test.ts, test/rest/account/accounts_test.ts. */
import assert from "node:assert/strict";
import { newPlace, run } from "../stage/launch.ts";

Deno.test("commands: unknown options and arguments are refused, and --help only explains", async () => {
  await using place = await newPlace();
  type Row = [args: string[], code: number, says: RegExp];
  const rows: Row[] = [
    [["token", "--help"], 0, /^usage:\n {2}deno task token \[name\]\n$/],
    [["token", "--forever"], 1, /^Unknown option '--forever'\nusage:/],
    [["token", "one", "two"], 1, /^unknown argument two\nusage:/],
    [["migrate", "now"], 1, /^unknown argument now\nusage:/],
    [["account", "create"], 1, /^usage:/],
    [["account", "list", "all"], 1, /^usage:/],
    [["nothing"], 1, /^there is no command nothing; known are migrate, token/],
  ];
  for (const [args, code, says] of rows) {
    const end = await run(place.environment, ...args);
    assert.equal(end.code, code, `${args}: ${end.stderr}`);
    assert.match(code === 0 ? end.stdout : end.stderr, says, `${args}`);
  }
});
