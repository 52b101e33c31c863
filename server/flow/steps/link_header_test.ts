import assert from "node:assert/strict";
import { nextLink } from "./link_header.ts";

Deno.test("link header: the address of rel next, in every writing", () => {
  const rows: [header: string, next: string | undefined][] = [
    ["", undefined],
    ['<https://a.test/x?page=2>; rel="next"', "https://a.test/x?page=2"],
    ['<?p=1>; rel="prev", <?p=3>; rel="next", <?p=9>; rel="last"', "?p=3"],
    ["<?p=3>;rel=next", "?p=3"],
    ['<?p=3>; title="a, b; c"; REL="last Next"', "?p=3"],
    ["<?a=1,2>; rel=prev,<?a=3,4>; rel=next", "?a=3,4"],
    ['<?p=3>; title="a; rel=next"', undefined],
    ["<?p=3>", undefined],
    ["?p=3; rel=next", undefined],
    ["<<<<<?p=3>; rel=next", "?p=3"],
  ];
  for (const [header, next] of rows) assert.equal(nextLink(header), next, header);
  assert.equal(nextLink("<".repeat(100_000)), undefined);
  assert.equal(nextLink(`<a>${"; a=b".repeat(20_000)}`), undefined);
  assert.equal(nextLink(`<a>; a=${" ".repeat(200_000)}x`), undefined);
});
