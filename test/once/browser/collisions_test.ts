/**
 * Apps whose names could collide with names of generated code: those of compilers' output, and those that a rewrite in
 * the bundler makes. Programs that declare every short name run in Chromium, because a collision compiles.
 */
import { browserTest } from "../../stage/browser.ts";
import { type Case, checkAll } from "./layers.ts";

const CHARACTERS = [..."abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$"];
const RESERVED = new Set(["do", "if", "in"]);

/** Names that rewrites have made, or that are like those, and names of the runtimes' functions. */
const LIKELY =
  `_0000_ _0000_show _0000_pop _0000_React _0000_Phaser _0000_kaboom _00000_ _0000 __app_ __render_ _sfc_main
  _hoisted_1 _hoisted_2 _createElementVNode _createVNode _openBlock _toDisplayString _cache _ctx App App_1 component root
  fragment text node pop push element show mount legacy append from_html get set state proxy style document jsx jsxs
  Fragment createRoot createElement`.split(/\s+/);

const NAMES = [...CHARACTERS, ...CHARACTERS.flatMap((one) => [...CHARACTERS, ..."0123456789"].map((two) => one + two))]
  .filter((name) => !RESERVED.has(name)).concat(LIKELY);

/** Declares names at the top level, and as parameters of a function that uses the runtime. @returns also their sum */
function declaring(names: string[], inside: string) {
  const list = names.join();
  const code = `const ${names.map((name, index) => `${name} = ${index}`).join()};
  const sumOfAll = [${list}].reduce((one, other) => one + other);
  const nestedSum = (${list}) => { ${inside} return [${list}].reduce((one, other) => one + other); };`;
  return { code, sum: names.length * (names.length - 1) / 2, values: names.map((_, index) => index).join() };
}

/** Svelte keeps `$` for itself, and takes `$state` for a store where `state` is declared. */
const svelte = declaring(NAMES.filter((name) => !name.includes("$") && name !== "state"), "");
const vue = declaring(NAMES, "");
const react = declaring(
  [...NAMES, "$$React", "$$ReactDOM", "$$pop"],
  `React.createElement("i"); ReactDOM.version.length;`,
);
const named = (sum: number, click: number) => `${sum} ${sum} ${click}`;

const SVELTE: Record<string, Case> = {
  "a store beside an exported function": {
    source: `<script>
        import { writable } from "svelte/store";
        const n = writable(7);
        export function reset() { n.set(0); }
      </script>
      <button on:click={reset}>{$n}</button>`,
    texts: ["7", "0"],
  },
  "two nested elements with a dynamic name": {
    source: `<script>let outer = "section", inner = "b", n = 0;</script>
      <svelte:element this={outer}><svelte:element this={inner}><button on:click={() => n++}>{n}</button></svelte:element></svelte:element>`,
    texts: ["0", "1"],
  },
  "a variable with the component's name": {
    source: `<script>let App = $state(1);</script><button onclick={() => App++}>{App}</button>`,
    texts: ["1", "2"],
  },
  "a variable with the name of a global that styles are added with": {
    source: `<script module>let document = 7;</script>
      <script>let clicks = $state(0)</script><button onclick={() => clicks++}>{document} {clicks}</button>
      <style>button { @apply p-4; }</style>`,
    texts: ["7 0", "7 1"],
    css_engine: "tailwind_all",
  },
  "text and strings that read like generated code": {
    source: `<script module>
        const code = \`
import 'svelte/internal/flags/async';
import * as $ from 'svelte/internal/client';
export default function App() {}
<style>.a { @apply p-4 }</st\` + "yle>";
      </script>
      <pre>
export default function App()
import 'svelte/internal/flags/legacy';</pre>{code}`,
    texts: [
      "export default function App() import 'svelte/internal/flags/legacy'; import 'svelte/internal/flags/async'; " +
      "import * as $ from 'svelte/internal/client'; export default function App() {} <style>.a { @apply p-4 }</style>",
    ],
  },
  "every short name in the module": {
    source: `<script module>${svelte.code}</script>
      <script>let clicks = $state(0);</script>
      <button onclick={() => clicks++}>{sumOfAll} {nestedSum(${svelte.values})} {clicks}</button>`,
    texts: [named(svelte.sum, 0), named(svelte.sum, 1)],
  },
  "every short name in the component": {
    source: `<script>
        import { writable } from "svelte/store";
        const clicks = writable(0);
        ${svelte.code}
        export function add() { $clicks++; }
      </script>
      <svelte:element this={"p"}><svelte:element this={"b"}>{sumOfAll} {nestedSum(${svelte.values})}</svelte:element></svelte:element>
      <button on:click={add}> {$clicks}</button>`,
    texts: [named(svelte.sum, 0), named(svelte.sum, 1)],
  },
};

const VUE: Record<string, Case> = {
  "every short name beside a template": {
    source: `<script>
      ${vue.code}
      export default {
        data: () => ({ clicks: 0, sumOfAll, nested: nestedSum(${vue.values}) }),
        methods: { add() { this.clicks++; } },
      };</script>
      <template><button @click="add">{{ sumOfAll }} {{ nested }} {{ clicks }}</button><i><b class="x"></b></i></template>`,
    texts: [named(vue.sum, 0), named(vue.sum, 1)],
  },
};

const REACT: Record<string, Case> = {
  "an element root that the page does not have": {
    source: `import { createRoot } from "react-dom/client";
      const Shown = () => { const [n, set] = React.useState(0); return <button onClick={() => set(n + 1)}>{n}</button>; };
      createRoot(document.getElementById("root")).render(<Shown />);`,
    texts: ["0", "1"],
  },
  "every short name, and the globals": {
    source: `${react.code}
      export default function Shown() {
        const [clicks, setClicks] = React.useState(0);
        return <button onClick={() => setClicks(clicks + 1)}>{sumOfAll} {nestedSum(${react.values})} {clicks}</button>;
      }`,
    texts: [named(react.sum, 0), named(react.sum, 1)],
  },
};

browserTest("collisions: no rewrite uses a name that the program declares", async (stage) => {
  await checkAll(stage, "svelte", SVELTE);
  await checkAll(stage, "vue", VUE);
  await checkAll(stage, "react", REACT);
});
