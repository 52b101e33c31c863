import assert from "node:assert/strict";
import { repeatedKeys } from "./repeated_keys.ts";

Deno.test("repeated keys: found at every depth, by their paths", () => {
  const rows: [text: string, paths: string[]][] = [
    ["{}", []],
    [`{"a":1,"b":{"a":1},"c":[{"a":1},{"a":2}]}`, []],
    [`{"a":1,"a":2}`, ["a"]],
    [`{"a":1,"\\u0061":2}`, ["a"]],
    [`{"a":{"b":1,"c":[0,{"d":1,"d":{}}],"b":2}}`, ["a.c.1.d", "a.b"]],
    [`{"a":"\\"a\\":1,","b":"{\\"x\\":1"}`, []],
    [`{"__proto__":1,"__proto__":2}`, ["__proto__"]],
  ];
  for (const [text, paths] of rows) assert.deepEqual(repeatedKeys(text).map((path) => path.join(".")), paths, text);
});
