/**
 * Svelte's runtime is split into layers by statements (server/compiler/layers/). Each case loads some layers and checks
 * that they work.
 */
import { type Case, testCases } from "./layers.ts";

const CASES: Record<string, Case> = {
  "text": { source: "<h1>Hello</h1>", texts: ["Hello"], files: 1 },
  "a counter": {
    source: `<script>let n = $state(0); let twice = $derived(n * 2);</script>
      <button onclick={() => n++}>{n} {twice}</button>`,
    texts: ["0 0", "1 2", "2 4"],
    files: 1,
  },
  "lists, conditions, bindings, classes, styles and effects": {
    source: `<script>
        let all = $state([{ text: "a", done: false }]);
        let text = $state("b");
        let seen = $state("");
        $effect(() => { seen = all.map(({ text, done }) => text + Number(done)).join(); });
        const add = () => { all[0].done = true; all.unshift({ text, done: false }); text += "!"; };
      </script>
      <input bind:value={text}><button onclick={add}>{text}</button>
      {#each all as item, i (item)}
        <label class:done={item.done} style:--x={i} title={item.text}><input type="checkbox" bind:checked={item.done}>{i}{item.text}</label>
      {:else}none{/each}
      {#if all.length > 2}many{:else}few{/if} {seen}`,
    texts: ["b 0a few a0", "b! 0b1a few b0,a1", "b!! 0b!1b2a many b!0,b1,a1"],
    files: 1,
  },
  "the older way": {
    source: `<script>
        import { afterUpdate, createEventDispatcher } from "svelte";
        export let first = 1;
        let items = [first];
        createEventDispatcher();
        let updates = 0;
        afterUpdate(() => { updates = Math.min(updates + 1, 1); });
        $: sum = items.reduce((a, b) => a + b, 0);
        $: if (sum > 3) first = 9;
      </script>
      <button on:click={() => items = [...items, items.length + 1]}>{first}</button>
      {#each items as item}<i>{item}</i>{/each} {sum} {updates}`,
    texts: ["1 1 1 1", "1 12 3 1", "9 123 6 1"],
    files: 2,
  },
  "enums, namespaces and parameter properties": {
    source: `<script module lang="ts">export namespace Limits { export const most: number = 9; }</script>
      <script lang="ts">
        import { tick } from "svelte";
        enum Size { Small, Large = 7 }
        const enum Kind { A = "a" }
        class Counter { n = $state(0); constructor(private step: number, readonly kind: Kind) {} add() { this.n += this.step; } }
        const counter = new Counter(2, Kind.A);
      </script>
      <button onclick={() => { counter.add(); tick(); }}>{counter.n}</button> {Size.Large} {Size[0]} {counter.kind} {Limits.most}`,
    texts: ["0 7 Small a 9", "2 7 Small a 9"],
  },
  "stores": {
    source: `<script>
        import { derived, get, writable } from "svelte/store";
        const n = writable({ x: 1 });
        const twice = derived(n, ($n) => $n.x * 2);
      </script>
      <button onclick={() => $n.x += 1}>{$n.x}</button> {$twice} {get(twice)}`,
    texts: ["1 2 2", "2 4 2", "3 6 2"],
    files: 2,
  },
  "snippets, keys, HTML, spread attributes, actions, attachments, groups and selects": {
    source: `<script>
        let n = $state(1);
        let picked = $state(["a"]);
        let one = $state("x");
        let title = $state("-");
        const more = $derived({ title: "t" + n, class: ["p", n > 1 && "q"] });
        const mark = (node, v) => { node.textContent = "u" + v; return { update: (v) => node.textContent = "u" + v }; };
        const note = (node) => { node.textContent = "@"; };
      </script>
      {#snippet row(label)}<b {...more}>{label}</b>{/snippet}
      <svelte:head><title>n{n}</title></svelte:head>
      <button onclick={() => { title = document.title; n++; picked.push("b"); one = "y"; }}>{n}</button>
      {@render row("r" + n)} {#key n}<i {@attach note}></i>{/key} {@html "<u>h" + n + "</u>"} <s use:mark={n}></s>
      <input type="checkbox" value="a" bind:group={picked}><input type="checkbox" value="b" bind:group={picked}>
      <select bind:value={one}><option>x</option><option>y</option></select> {picked} {one} {title}
      {JSON.stringify($state.snapshot(picked))}`,
    texts: [`1 r1 @ h1 u1 xy a x - ["a"]`, `2 r2 @ h2 u2 xy a,b y n1 ["a","b"]`],
    files: 2,
  },
  "waiting": {
    source: `<script>
        let n = $state(1);
        let later = $derived(await Promise.resolve(n * 10));
      </script>
      <button onclick={() => n++}>{n}</button> {later} {await Promise.resolve("w" + n)}
      {#await Promise.resolve(n) then v}then {v}{/await}
      <svelte:boundary><p>{(() => { if (n > 1) throw new Error("e" + n); return "fine"; })()}</p>
        {#snippet failed(error)}{error.message}{/snippet}</svelte:boundary>`,
    texts: ["1 10 w1 then 1 fine", "2 20 w2 then 2 e2"],
    files: 2,
  },
  "motion": {
    source: `<script>
        import { flip } from "svelte/animate";
        import { linear } from "svelte/easing";
        import { Tween, Spring } from "svelte/motion";
        import { fade, fly } from "svelte/transition";
        let items = $state([1, 2]);
        const tween = new Tween(0, { duration: 1, easing: linear });
        const spring = new Spring(1);
        let ended = $state(0);
        const next = () => { items = [...items.slice(1), items.length * 3]; tween.target = 5; spring.set(4, { instant: true }); };
      </script>
      <button onclick={next}>{spring.current}</button>
      {#each items as item (item)}<i animate:flip={{ duration: 1 }} in:fly={{ duration: 1 }} out:fade={{ duration: 1 }}
        onoutroend={() => ended++}>{item}</i>{/each} {tween.current} {ended}`,
    texts: ["1 12 0 0", "4 26 5 1"],
    files: 3,
  },
  "the rest": {
    source: `<script>
        import { MediaQuery, SvelteMap, SvelteSet, SvelteDate, SvelteURL } from "svelte/reactivity";
        import { innerWidth } from "svelte/reactivity/window";
        import { on } from "svelte/events";
        import { createAttachmentKey } from "svelte/attachments";
        import { tweened } from "svelte/motion";
        import { mount, unmount, hydrate, flushSync, createRawSnippet, setContext, getContext } from "svelte";
        const map = new SvelteMap([["a", 1]]);
        const set = new SvelteSet();
        const date = new SvelteDate(0);
        const url = new SvelteURL("https://a.test/?x=1");
        const wide = new MediaQuery("min-width: 1px");
        const old = tweened(1);
        setContext("k", "c");
        const context = getContext("k");
        const raw = createRawSnippet(() => ({ render: () => "<em>raw</em>" }));
        let width = $state(0);
        let node = $state();
        let taps = $state(0);
        $effect(() => on(node, "tap", () => taps++));
        const props = { [createAttachmentKey()]: (element) => { element.textContent = "key"; } };
        const tap = () => {
          map.set("a", map.get("a") + 1); set.add(map.get("a")); date.setTime(date.getTime() + 1);
          url.searchParams.set("x", String(set.size)); node.dispatchEvent(new Event("tap"));
        };
        let tag = $derived(map.get("a") > 1 ? "dfn" : "cite");
      </script>
      <svelte:window bind:innerWidth={width} />
      <button onclick={tap}>{map.get("a")}</button> {set.size} {date.getTime()} {url.search} {wide.current} {$old}
      <p bind:this={node} {...props}></p> {@render raw()} {context} {taps}
      {width === innerWidth.current} <svelte:element this={tag}>{tag}</svelte:element>
      {typeof mount + typeof unmount + typeof hydrate + typeof flushSync === "function".repeat(4)}`,
    texts: [
      "1 0 0 ?x=1 true 1 key raw c 0 true cite true",
      "2 1 1 ?x=1 true 1 key raw c 1 true dfn true",
      "3 2 2 ?x=2 true 1 key raw c 2 true dfn true",
    ],
    files: 6,
  },
};

testCases("svelte", CASES);
