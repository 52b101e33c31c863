/** The step `code`: compiled at save, executed in a confined process, its result kept. */
import assert from "node:assert/strict";
import { onStage } from "./flow_stage.ts";

const inTeam = onStage();

const code = (source: string, more: Record<string, unknown> = {}) => ({ type: "code", id: "code", source, ...more });

inTeam("code: TypeScript with the names that it mentions; its console and its output are kept", async (team) => {
  const source = `
    interface Item { price: number }
    const sum = (items: Item[]): number => items.reduce((all, { price }) => all + price, 0);
    export default async ({ input, steps, run, ...more }: { input: { items: Item[] } }) => {
      console.log("items", input.items.length, { a: [1] });
      console.error(new TypeError("odd"), new Map([["a", 1]]), new Set([2]));
      await null;
      return { sum: sum(input.items), before: steps.set.body, more: Object.keys(more), at: new Date(), is_start: Date.now() === Date.parse(run.started_at), id: Math.random() };
    };`;
  const { process, data } = await team.run([
    { type: "mutation", id: "set", set: { hidden: 1 } },
    code(source),
    { type: "return", data: "{steps.code.body}" },
  ], { items: [{ price: 1.5 }, { price: 2 }] });
  const [, step] = process.steps;
  assert.deepEqual([data.sum, data.before, data.more, data.is_start], [3.5, { hidden: 1 }, [], true]);
  assert.deepEqual([step.status, step.console, step.output], ["finished", [
    'items 2 {"a":[1]}',
    'TypeError: odd [["a",1]] [2]',
  ], data]);
  assert.deepEqual(Object.keys(step.input).sort(), ["input", "run", "steps"]);
});

inTeam(
  "code: an error is the step's, with its console; later steps and the retry of the run see outputs",
  async (team) => {
    team.api.answers.set(
      "/late",
      (call) => call === 1 ? new Response("no", { status: 500 }) : Response.json({ ok: 1 }),
    );
    const { process } = await team.run([
      code("export default () => { console.warn('about to'); throw new TypeError('too bad'); }", {
        id: "bad",
        on_error: "catch",
        catch: [code("export default ({ steps }) => [steps.bad.error, Math.random()]", { id: "caught" })],
      }),
      { type: "connector", id: "late", connector_code: "api", method: "get", params: { path: "late" } },
      { type: "return", data: "{steps.caught.body}" },
    ]);
    const [bad, caught] = process.steps;
    assert.deepEqual([bad.status, bad.error, bad.console], ["error", "TypeError: too bad", [
      "about to",
      "TypeError: too bad (line 1, column 56)",
    ]]);
    assert.equal(caught.output[0], "TypeError: too bad");
    const again = await team.ask("POST", `/connect/flow_processes/${process.id}/retry.json`, {
      json: { from: "failed_step" },
    });
    assert.deepEqual(again.body.data, caught.output, "outputs before the failed step are kept, also random ones");
  },
);

inTeam("code: where the function throws, the console ends with the error's place in the source", async (team) => {
  const placeIn = async (source: string) => {
    const { process: { steps: [step] } } = await team.run([code(source, { on_error: "continue" })]);
    assert.doesNotMatch(step.error, /line \d+, column/, "examples compare the error");
    return /\(line (\d+), column (\d+)\)$/.exec(step.console?.at(-1) ?? "")?.slice(1).map(Number);
  };
  const typed =
    "interface Item {\n  price: number;\n}\n\n// Żółw 🐢\nconst first = (items?: Item[]) =>\n  '🐢' + items!.at(0);\n";
  assert.deepEqual(await placeIn(`${typed}export default ({ input }) => first(input.items);`), [7, 17]);
  assert.deepEqual(await placeIn(`${typed}export default async () => {\n  await null;\n  first();\n};`), [7, 17]);
  assert.deepEqual(await placeIn("export default () => {\n  return JSON.parse('{');\n};"), [2, 15]);
  assert.deepEqual(await placeIn("const x = null;\nx.y;\nexport default () => 1;"), [2, 3]);
  assert.deepEqual(
    await placeIn("export default () => {\n  Promise.reject(1);\n  throw { message: 'no error' };\n};"),
    undefined,
  );
  assert.deepEqual(
    await placeIn(
      "export default () => {\n  const made = new Error('x');\n  made.stack = 'code:1:1e9';\n  throw made;\n};",
    ),
    undefined,
  );
});

inTeam("code: mistakes are found when the program is saved, at their position", async (team) => {
  const save = async (...sources: string[]) => {
    const program = sources.map((source, index) => code(source, { id: `code_${index}` }));
    const flow = { kind: "platform/custom_flow", code: "saved", name: "Saved", fields: { program } };
    const { status, body } = await team.ask("POST", "/connect/flows.json", { json: { flow } });
    return { status, fields: body };
  };
  const { status, fields } = await save(
    "export default () => {\n  retur n 1;\n}",
    `im${"port"} fs from "node:fs";\nexport default () => fs`,
    "const a = 1;",
    `export default () => im${"port"}("other")`,
    "return { a: 1 };",
  );
  const [syntax, imported, without, dynamic, returns] = [0, 1, 2, 3, 4].map((index) =>
    fields[`fields.program.${index}.source`]?.[0] ?? ""
  );
  assert.equal(status, 422);
  assert.match(syntax, /^2:9 /);
  assert.match(imported, /^1:16 "node:fs" cannot be imported/);
  assert.match(without, /^has no default export/);
  assert.match(returns, /^has no default export/);
  assert.match(dynamic, /^1:29 "other" cannot be imported/);
  assert.deepEqual((await save("")).fields, { "fields.program.0.source": ["can't be blank"] });
});
