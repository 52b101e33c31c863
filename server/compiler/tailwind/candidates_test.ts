import assert from "node:assert/strict";
import { candidatesIn } from "./candidates.ts";

const CASES: { source: string; finds: string[] }[] = [
  { source: `<p class="flex p-4\n\tmd:hover:bg-red-500/50">`, finds: ["flex", "p-4", "md:hover:bg-red-500/50"] },
  { source: "class={on ? 'p-1.5' : `-mt-2 w-1/2`}", finds: ["p-1.5", "-mt-2", "w-1/2"] },
  { source: `class:underline={on} class:md:flex`, finds: ["underline", "md:flex"] },
  { source: `{ flex: on, 'p-2': !on, "dark:p-3":on }`, finds: ["flex", "p-2", "dark:p-3"] },
  { source: `["m-1","m-2",'m-3']`, finds: ["m-1", "m-2", "m-3"] },
  {
    source: `class="grid-cols-[1fr_2fr] w-[calc(100%-1rem)] h-(--h)"`,
    finds: ["grid-cols-[1fr_2fr]", "w-[calc(100%-1rem)]", "h-(--h)"],
  },
  {
    source: `class="content-['→'] bg-[url('/a.png')] [&>p]:mt-4"`,
    finds: ["content-['→']", "bg-[url('/a.png')]", "[&>p]:mt-4"],
  },
  {
    source: `class="data-[state=open]:flex group-data-[a=b]/c:p-1"`,
    finds: ["data-[state=open]:flex", "group-data-[a=b]/c:p-1"],
  },
  { source: `class="!p-1 p-2! *:p-3 @md:p-4 [--x:1px]"`, finds: ["!p-1", "p-2!", "*:p-3", "@md:p-4", "[--x:1px]"] },
  { source: `div.flex.p-4 Some text, block.`, finds: ["flex", "p-4", "block"] },
  { source: `hover:[&:not(:first-child)]:p-4`, finds: ["hover:[&:not(:first-child)]:p-4"] },
  {
    source: `class="bg-[var(--a,#fff)] text-[#abc] supports-[display:grid]:grid"`,
    finds: ["bg-[var(--a,#fff)]", "text-[#abc]", "supports-[display:grid]:grid"],
  },
  {
    source: `cn("w-[13px]") :class="['h-[2px]',a]" ["[&>p]:m-1","bg-[url('/a.png')]"]`,
    finds: ["w-[13px]", "h-[2px]", "[&>p]:m-1", "bg-[url('/a.png')]"],
  },
  { source: `classList.add('a-1');x="b-1";y=\`c-1 \${z}d-1\``, finds: ["a-1", "b-1", "c-1", "d-1"] },
];

for (const { source, finds } of CASES) {
  Deno.test(`candidates: ${source.replaceAll(/\s+/g, " ")}`, () => {
    const found = new Set(candidatesIn(source));
    assert.deepEqual(finds.filter((name) => !found.has(name)), []);
  });
}

Deno.test("candidates: a class with a variant is not offered without it", () => {
  const found = candidatesIn(`<p class="hover:flex data-[a=b]:p-4 md:[&>p]:m-1">`);
  assert.deepEqual(["flex", "p-4", "m-1"].filter((name) => found.includes(name)), []);
});

Deno.test("candidates: hostile sources take time in proportion to their length", () => {
  for (const part of ["[", "(", "[(", "a[b]", "a[b", "a[[b]", "((a)", "a:", "a.", `["a`, `("a'`, "['"]) {
    const source = part.repeat(200_000 / part.length);
    const begun = performance.now();
    candidatesIn(source);
    assert.ok(performance.now() - begun < 10_000, part);
  }
});
