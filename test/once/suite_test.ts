import { deepStrictEqual, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { findSuite, sortIntoSuite } from "../run/suite.ts";

const tree = fileURLToPath(new URL("../..", import.meta.url));

Deno.test("tests beside their module run once; tests under test/ run on every database, except those in test/once/; long ones come first", () => {
  const suite = sortIntoSuite([
    "test/rest/departments/departments_test.ts",
    "test/once/embedded/embedded_test.ts",
    "test/start/launch_test.ts",
    "test/once/compiler/svelte_test.ts",
    "server/flow/template/template_test.ts",
    "test/oncelike_test.ts",
    "test/faults/faults_test.ts",
  ]);
  deepStrictEqual(suite, {
    once: [
      "server/flow/template/template_test.ts",
      "test/once/compiler/svelte_test.ts",
      "test/once/embedded/embedded_test.ts",
    ],
    perDatabase: [
      "test/faults/faults_test.ts",
      "test/start/launch_test.ts",
      "test/oncelike_test.ts",
      "test/rest/departments/departments_test.ts",
    ],
  });
});

Deno.test("a path narrows the suite to a folder or a file", () => {
  deepStrictEqual(findSuite(tree, ["./test/once/suite_test.ts"]), {
    once: ["test/once/suite_test.ts"],
    perDatabase: [],
  });
  deepStrictEqual(findSuite(tree, ["test/suite"]), { once: [], perDatabase: [] });
  ok(findSuite(tree, ["test/"]).once.includes("test/once/report_test.ts"));
});
