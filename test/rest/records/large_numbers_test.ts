/** Numbers beyond 2^53 are kept exactly or refused, on every way into the server: never rounded in silence. */
import assert from "node:assert/strict";
import { made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();
const JSON_TYPE = { "content-type": "application/json" };

inAccount(
  "large numbers: imports of records refuse what would be rounded, and take what an export has written",
  async ({ ask }) => {
    const code = "figures";
    const schema = { fields: { name: "string", n: "integer", price: "number" } };
    made(await ask("POST", "/platform/dbs.json", { json: { db: { name: code, code, schema } } }));
    const load = async (format: string, raw: string, type: string) =>
      (await ask("POST", `/platform/dbs/${code}/import.${format}`, { raw, headers: { "content-type": type } })).body;
    const expected = [
      { row: 2, fields: { n: ["must be an integer"] } },
      { row: 3, fields: { price: ["must be a number"] } },
      { row: 4, fields: { price: ["must be a number"] } },
    ];
    const rows = [["safe", "9007199254740991", "100000000000000000000"], ["n", "9007199254740993", "1"], [
      "price",
      "1",
      "12345678901234567890",
    ], ["infinite", "1", "1e400"]];
    const csv = ["name,n,price", ...rows.map((row) => row.join())].join("\n");
    assert.deepEqual(await load("csv", csv, "text/csv"), { created: 1, failed: 3, errors: expected });
    const lines = rows.map(([name, n, price]) => `{"data":{"name":"${name}","n":${n},"price":${price}}}`).join("\n");
    assert.deepEqual(await load("ndjson", lines, "application/x-ndjson"), { created: 1, failed: 3, errors: expected });
    for (const format of ["csv", "ndjson"]) {
      const file = (await ask("GET", `/platform/dbs/${code}/export.${format}`)).body;
      const text = typeof file === "string" ? file : JSON.stringify(file);
      const type = format === "csv" ? "text/csv" : "application/x-ndjson";
      const { created, failed } = await load(format, text, type);
      assert.deepEqual([created > 0, failed], [true, 0], `what is exported as ${format} can be imported`);
    }
    const { body } = await ask("GET", `/platform/dbs/${code}/records.json`);
    for (const { data } of body) assert.deepEqual(data, { name: "safe", n: 9007199254740991, price: 1e20 });
  },
);

inAccount("large numbers: over /trpc they pass through a flow with all their digits", async ({ ask }) => {
  const program = [{ type: "return", data: ["{input.id}", "{input.huge}", "{input.n}"] }];
  const flow = made(
    await ask("POST", "/connect/flows.json", { json: { flow: { name: "Echo", fields: { program } } } }),
  );
  const { status, body } = await ask("POST", "/trpc/flows.run", {
    raw: `{"json":{"id":${flow.id},"input":{"id":12345678901234567890,"huge":-1e400,"n":7}}}`,
    headers: JSON_TYPE,
  });
  assert.equal(status, 200, JSON.stringify(body));
  assert.deepEqual(body.result.data.json.data, ["12345678901234567890", "-1e400", 7]);
});
