import { deepStrictEqual, ok } from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { bundle } from "../run/bundles.ts";
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

Deno.test("bundles: files of a domain share an isolate, but for those with hooks or, under test/, with sanitizers", () => {
  const many = Array.from({ length: 12 }, (_, i) => `test/flow/${String.fromCharCode(97 + i)}_test.ts`);
  const texts: Record<string, string> = {
    "client/app/db_test.ts": "globalThis.fetch = answer;",
    "client/app/waiting_test.ts": "Deno.test(name, work);",
    "server/flow/run/slots_test.ts": "Deno.test(name, work);",
    "server/viewer_test.ts": "Deno.test(name, work);",
    "test/browser/data_test.ts": "browserTest(name, work);",
    "test/rest/apps/apps_test.ts": "const inAccount = onSharedServer();",
    "test/rest/apps/hooks_test.ts": "const inAccount = onSharedServer(); Deno.test.beforeAll(start);",
    "test/rest/apps/places_test.ts": "const inAccount = onOwnServer();",
    "test/rest/dbs/dbs_test.ts": "testBeside({ name, fn });",
  };
  deepStrictEqual(bundle([...Object.keys(texts), ...many], (file) => texts[file] ?? "const inTeam = onStage();"), [
    ["client/app/db_test.ts"],
    ["test/browser/data_test.ts"],
    ["test/rest/apps/hooks_test.ts"],
    many.slice(0, 6),
    many.slice(6),
    ["test/rest/apps/apps_test.ts", "test/rest/apps/places_test.ts", "test/rest/dbs/dbs_test.ts"],
    ["server/flow/run/slots_test.ts", "server/viewer_test.ts"],
    ["client/app/waiting_test.ts"],
  ]);
  const { once, perDatabase } = findSuite(tree, []);
  for (const all of [once, perDatabase]) {
    const bundled = bundle(all, (file) => Deno.readTextFileSync(`${tree}/${file}`)).flat();
    deepStrictEqual(bundled.toSorted(), all.toSorted(), "each file is in one bundle");
  }
});

Deno.test("bundles: files with sanitizers share an isolate with each other, those that take longest in different ones", () => {
  const closed = Array.from({ length: 6 }, (_, i) => `test/start/${i}_test.ts`);
  const [a, b, c, d, e, f] = closed;
  const texts: Record<string, string> = {
    "test/start/egress_test.ts": "Deno.test(name, work); createEgress(lookup);",
    "test/start/sanitizers_test.ts": "Deno.test({ name, work, sanitizeOps: false });",
    "test/start/sharing_test.ts": "Deno.test(name, work); const inAccount = onSharedServer();",
  };
  deepStrictEqual(bundle([...closed, ...Object.keys(texts)], (file) => texts[file] ?? "Deno.test(name, work);"), [
    [a, c, e],
    [b, d, f],
    ...Object.keys(texts).map((file) => [file]),
  ]);
});
