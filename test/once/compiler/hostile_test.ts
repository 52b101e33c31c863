/** Hostile sources are refused in time, disclose nothing, and do not affect later sources. */
import assert from "node:assert/strict";
import { type Build, CompileFailure } from "../../../server/compiler/compiler.ts";
import { groupOf, isGone, peakDuring } from "./groups.ts";
import type { Hostile } from "./hostile.ts";
import { COSTS } from "./hostile_costs.ts";
import { ODDITIES, REACHES } from "./hostile_reaches.ts";
import { openCompiler, sharedStore } from "./scratch.ts";

type Engine = Hostile["engine"];

/** Honest apps that use each part of the compiler. */
const HONEST: Record<Engine, string> = {
  svelte: `<script lang="ts">let a: number = $state(1);</script>
    {#each [a] as b (b)}<p class:c={b} class="p-4" onclick={() => a++}>{b}</p>{/each}
    <style>.c { @apply m-4 } p { color: red }</style>`,
  vue: `<script setup lang="ts">import { ref } from "vue";
    const props = defineProps<{ a?: number } & { b?: string }>(); const c = ref(props.a);</script>
    <template><p v-for="d in 3" :key="d" :class="$style.e" class="p-4">{{ d }}<input v-model="c"></p></template>
    <style scoped>p { color: v-bind(c) }</style><style module>.e { @apply m-4 }</style>`,
  react: `import { useState } from "react"; enum A { b = "c" }
    export default function App() { const [a, b] = useState<A>(A.b); return <p className="p-4 m-4">{a}{String(b)}</p> }`,
  kaboom: `kaboom(); enum A { b = 1 } add([text("a"), pos(A.b, 2)]);`,
  phaser: `new Phaser.Game({ scene: { create() { this.add.text(1, 2, "a"); } } });`,
};

/** Of its own time, in which a busy machine does not matter. Long enough for the first app of a worker. */
const TIME_LIMIT_MS = 2500;

/** Limit for an idle worker with esbuild: a worker is replaced at 220 MB, esbuild shrinks to 256 MB. */
const IDLE_MB = 512;

/** The kernel's limit of a process's writable memory, plus its program. */
const PEAK_MB = 1024 + 128;

/** Shared, because building runtimes would take most of the time. */
const vendor_store = sharedStore();

const CANARY = "canary-in-a-file";

const shown = ({ code, css, imports, scripts }: Build) => ({ code, css, imports, scripts });

async function play(test: Deno.TestContext, rows: readonly Hostile[]) {
  const secret = await Deno.makeTempFile({ prefix: "atrium_secret_", suffix: ".json" });
  await Deno.writeTextFile(secret, JSON.stringify(CANARY));
  // Without a cache, so that the honest app is compiled each time.
  await using compiler = openCompiler({ time_limit_ms: TIME_LIMIT_MS, cache_mb: 0, vendor_store });
  const honest = async (engine: Engine) =>
    shown(await compiler.compile({ engine, css_engine: "tailwind", source_code: HONEST[engine] }));
  const engines = [...new Set(rows.map(({ engine }) => engine))];
  const before = new Map(await Array.fromAsync(engines, async (engine) => [engine, await honest(engine)] as const));

  const isContained = async (engine: Engine) => {
    assert.deepEqual(await honest(engine), before.get(engine), "the next app is compiled as ever");
    const [worker, ...others] = compiler.workers().toReversed();
    const left = await Promise.all(others.map((pid) => isGone(pid)));
    assert.ok(left.every(Boolean), "workers that were given up are gone");
    const held = groupOf(worker).reduce((sum, { rss_mb }) => sum + rss_mb, 0);
    assert.ok(held < IDLE_MB, `${held} MB are held`);
  };

  for (const { name, engine, css = "none", source, ends } of rows) {
    await test.step(`${engine}: ${name}`, async () => {
      const source_code = source.replaceAll("{secret}", secret);
      const outcome = await compiler.compile({ engine, css_engine: css, source_code }).then(shown, (error) => error);
      if (ends === "builds") assert.ok(!(outcome instanceof Error), `${outcome}`);
      else {
        assert.ok(outcome instanceof CompileFailure, outcome instanceof Error ? `${outcome}` : "it compiles");
        assert.match(outcome.messages.join("\n"), ends);
      }
      const told = outcome instanceof CompileFailure ? outcome.messages : outcome;
      assert.ok(!JSON.stringify(told).includes(CANARY), "nothing of a file is told");
      await isContained(engine);
    });
  }
  for (const engine of engines) {
    await test.step(`${engine}: after all of them`, () => isContained(engine));
  }
  await Deno.remove(secret);
}

Deno.test("hostile: costly sources are refused and do not affect others", (test) => play(test, COSTS));

Deno.test("hostile: no source can read a file", (test) => play(test, REACHES));

Deno.test("hostile: strange names and characters", (test) => play(test, ODDITIES));

Deno.test("hostile: esbuild's memory is bounded, too, and its end is the author's failure", async () => {
  await using compiler = openCompiler({ time_limit_ms: 60_000, vendor_store });
  const source_code = COSTS.find(({ engine, name }) => engine === "react" && /enum/.test(name))?.source ?? "";
  await compiler.warm();
  let failure: unknown;
  const peak = await peakDuring(() => compiler.workers().at(-1), async () => {
    failure = await compiler.compile({ engine: "react", css_engine: "none", source_code }).catch((error) => error);
  });
  assert.ok(failure instanceof CompileFailure, `${failure}`);
  assert.deepEqual(failure.messages, ["compile needs too much memory"]);
  assert.ok(peak < PEAK_MB, `${peak} MB`);
});
