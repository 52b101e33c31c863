import assert from "node:assert/strict";
import { classesIn, createKeptStyles } from "./sheet_cache.ts";

/** A stand-in for Tailwind whose classes are single letters; its stylesheet lists the classes that it was given. */
function setUp() {
  const done: string[] = [];
  const styles = createKeptStyles();
  const build = (candidates: string, input = "") =>
    styles.build(
      input,
      new Set(candidates.split(" ")),
      () => {
        done.push(`open ${input}`.trim());
        const given = new Set<string>();
        return Promise.resolve({
          build(candidates) {
            for (const name of candidates) {
              if (name === "!") throw new Error("refused");
              if (/^[a-z]$/.test(name)) given.add(name);
            }
            return input + [...given].sort().map((name) => `.${name}{}`).join("");
          },
        });
      },
      (css) => {
        done.push("finish");
        return Promise.resolve(css.toUpperCase());
      },
    );
  const steps = () => done.splice(0).join(", ");
  return { build, steps, openSpare: styles.openSpare };
}

Deno.test("kept styles: words that are no classes change nothing", async () => {
  const { build, steps } = setUp();
  assert.equal(await build("a b one"), ".A{}.B{}");
  assert.equal(steps(), "open, finish");
  assert.equal(await build("b a two three"), ".A{}.B{}");
  assert.equal(steps(), "");
});

Deno.test("kept styles: further classes are added to the existing sheet", async () => {
  const { build, steps } = setUp();
  await build("a one");
  steps();
  assert.equal(await build("a b two"), ".A{}.B{}");
  assert.equal(steps(), "finish");
});

Deno.test("kept styles: where a class is gone, all is built from nothing", async () => {
  const { build, steps } = setUp();
  await build("a b");
  steps();
  assert.equal(await build("b c"), ".B{}.C{}");
  assert.equal(steps(), "open, finish");
});

Deno.test("kept styles: a spare sheet without earlier classes is ready for a removed class", async () => {
  const { build, steps, openSpare } = setUp();
  await build("a b one");
  await openSpare();
  await openSpare();
  assert.equal(steps(), "open, finish, open");
  assert.equal(await build("b c one"), ".B{}.C{}");
  assert.equal(steps(), "finish");
  assert.equal(await build("c"), ".C{}");
  assert.equal(steps(), "open, finish");
});

Deno.test("kept styles: a spare of another input is not used", async () => {
  const { build, steps, openSpare } = setUp();
  await build("a", "p");
  await openSpare();
  steps();
  assert.equal(await build("b", "q"), "Q.B{}");
  assert.equal(steps(), "open q, finish");
});

Deno.test("kept styles: two similar apps never share classes", async () => {
  const { build, steps } = setUp();
  await build("a x");
  await build("a y");
  steps();
  assert.equal(await build("a x one"), ".A{}.X{}");
  assert.equal(await build("a y two"), ".A{}.Y{}");
  assert.equal(steps(), "");
});

Deno.test("kept styles: another input is another stylesheet", async () => {
  const { build, steps } = setUp();
  await build("a", "p");
  steps();
  assert.equal(await build("a", "q"), "Q.A{}");
  assert.equal(steps(), "open q, finish");
});

Deno.test("kept styles: a sheet that failed to grow is built from scratch", async () => {
  const { build, steps } = setUp();
  await build("a");
  await assert.rejects(build("a b !"), /refused/);
  steps();
  assert.equal(await build("a"), ".A{}");
  assert.equal(steps(), "open, finish");
});

Deno.test("kept styles: class names are read as they were written before CSS escaped them", () => {
  const css = String.raw`.md\:p-4{}.\32xl\:flex:hover{}.w-\[1\.5px\],.ż{margin:.5rem}.a\,b{}`;
  assert.deepEqual([...classesIn(css)], ["md:p-4", "2xl:flex", "w-[1.5px]", "ż", "5rem", "a,b"]);
});
