import assert from "node:assert/strict";
import fc from "../../../test/packages/fast_check.ts";
import { parametersOf, written } from "./parameters.ts";

const QUERIES = [
  "",
  "?",
  "?a",
  "?a=",
  "?=b",
  "?a=b=c&&a=d&",
  "?filter[city]=New%20York&filter%5Bn%5D=1+2",
  "?q=%E4%BD%A0%F0%9F%8E%88&after=%",
  "?q=%FF&q=%zz",
  "?a=%EF%BB%BFb&q=!'()~*-._",
  "?a?b=/c:@",
];
const pieces = fc.array(
  fc.constantFrom("a", "&", "=", "%", "+", "%20", "%C3%A9", "%F0", "[", "é", "🎈", "~", "'", "?"),
);

Deno.test("parameters: read and written as URLSearchParams does it", () => {
  const agree = (query: string) => {
    const parameters = parametersOf(`http://x/lists.json${query}`);
    const standard = new URLSearchParams(query);
    assert.deepEqual(parameters, [...standard], query);
    assert.equal(parameters.map(written).join("&"), `${standard}`, query);
  };
  QUERIES.forEach(agree);
  fc.assert(fc.property(pieces, (pieces) => agree(`?${pieces.join("")}`)));
});
