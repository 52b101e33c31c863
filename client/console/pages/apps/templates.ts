/** What a new app starts as. */
import type { IconName } from "../../parts/icons.ts";

export interface Template {
  name: string;
  text: string;
  icon: IconName;
  app_engine: "svelte" | "vue" | "react" | "html" | "kaboom";
  css_engine: "none" | "tailwind";
  source_code: string;
}

export const TEMPLATES: readonly Template[] = [
  {
    name: "Blank page",
    text: "A heading and a button that counts",
    icon: "file-code",
    app_engine: "svelte",
    css_engine: "tailwind",
    source_code: `<script lang="ts">
  let count = $state(0);
</script>

<main class="grid min-h-screen place-content-center gap-4 bg-stone-50 text-center text-stone-900">
  <h1 class="text-3xl font-semibold tracking-tight">Hello</h1>
  <button
    class="rounded-lg bg-stone-900 px-5 py-2.5 font-medium text-white hover:bg-stone-700"
    onclick={() => count++}
  >
    Clicked {count} {count === 1 ? "time" : "times"}
  </button>
</main>
`,
  },
  {
    name: "Checklist",
    text: "Things to do, kept while the page is open",
    icon: "clipboard-list",
    app_engine: "svelte",
    css_engine: "tailwind",
    source_code: `<script lang="ts">
  let items = $state([
    { text: "Open the studio", done: true },
    { text: "Water the plants", done: false },
  ]);
  let text = $state("");
  const left = $derived(items.filter(({ done }) => !done).length);

  function add(event: SubmitEvent) {
    event.preventDefault();
    if (!text.trim()) return;
    items.push({ text: text.trim(), done: false });
    text = "";
  }
</script>

<main class="mx-auto min-h-screen max-w-md p-6 text-stone-900">
  <h1 class="text-2xl font-semibold tracking-tight">Checklist</h1>
  <p class="mb-4 text-stone-600">{left} left</p>
  <form class="mb-4 flex gap-2" onsubmit={add}>
    <input class="min-w-0 flex-1 rounded-lg border border-stone-400 px-3 py-2" bind:value={text} aria-label="New item" />
    <button class="rounded-lg bg-emerald-700 px-4 font-medium text-white">Add</button>
  </form>
  <ul class="divide-y divide-stone-200">
    {#each items as item}
      <li>
        <label class="flex items-center gap-3 py-3">
          <input class="size-5 accent-emerald-700" type="checkbox" bind:checked={item.done} />
          <span class:line-through={item.done} class:text-stone-500={item.done}>{item.text}</span>
        </label>
      </li>
    {/each}
  </ul>
</main>
`,
  },
  {
    name: "Board",
    text: "Cards in three columns, moved by a click",
    icon: "kanban",
    app_engine: "react",
    css_engine: "tailwind",
    source_code: `import { useState } from "react";

const COLUMNS = ["Arrived", "In progress", "Done"];

export default function Board() {
  const [cards, setCards] = useState([
    { id: 1, text: "Gear service", column: 1 },
    { id: 2, text: "New chain", column: 0 },
    { id: 3, text: "Puncture", column: 2 },
  ]);
  const move = (id: number, by: number) =>
    setCards(cards.map((card) => (card.id === id ? { ...card, column: card.column + by } : card)));

  return (
    <main className="min-h-screen bg-amber-50 p-6 text-stone-900">
      <h1 className="mb-4 text-2xl font-semibold tracking-tight">Board</h1>
      <div className="grid gap-4 sm:grid-cols-3">
        {COLUMNS.map((title, column) => (
          <section key={title} aria-label={title}>
            <h2 className="mb-2 text-sm font-semibold text-stone-600">{title}</h2>
            {cards.filter((card) => card.column === column).map((card) => (
              <article key={card.id} className="mb-2 flex items-center rounded-lg border border-stone-300 bg-white p-3">
                <span className="flex-1">{card.text}</span>
                {column > 0 && <button aria-label="Back" onClick={() => move(card.id, -1)}>←</button>}
                {column < 2 && <button aria-label="On" className="ml-3" onClick={() => move(card.id, 1)}>→</button>}
              </article>
            ))}
          </section>
        ))}
      </div>
    </main>
  );
}
`,
  },
  {
    name: "Form",
    text: "Fields with checks before it is sent",
    icon: "clipboard-list",
    app_engine: "vue",
    css_engine: "tailwind",
    source_code: `<script setup lang="ts">
import { computed, ref } from "vue";

const name = ref("");
const stars = ref(5);
const sent = ref(false);
const complete = computed(() => name.value.trim().length > 1);
</script>

<template>
  <main class="mx-auto min-h-screen max-w-sm p-6 text-slate-900">
    <h1 class="mb-4 text-2xl font-semibold tracking-tight">How was it?</h1>
    <p v-if="sent" class="rounded-lg bg-emerald-50 p-4 text-emerald-900">Thank you, {{ name }}.</p>
    <form v-else class="grid gap-4" @submit.prevent="sent = true">
      <label class="grid gap-1">Your name
        <input v-model="name" class="rounded-lg border border-slate-400 px-3 py-2">
      </label>
      <label class="grid gap-1">Stars: {{ stars }}
        <input v-model.number="stars" type="range" min="1" max="5" class="accent-indigo-700">
      </label>
      <button :disabled="!complete" class="rounded-lg bg-indigo-700 py-2.5 font-medium text-white disabled:opacity-50">
        Send
      </button>
    </form>
  </main>
</template>
`,
  },
  {
    name: "Page",
    text: "Plain HTML with its own styles",
    icon: "globe",
    app_engine: "html",
    css_engine: "none",
    source_code: `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width">
  <title>Opening hours</title>
  <style>
    body { margin: 0; min-height: 100vh; display: grid; place-content: center; background: #cf5a2b; color: #fff; font: 20px/1.6 Georgia, serif }
    h1 { margin: 0 0 16px; font-size: 48px; letter-spacing: -1px }
    dl { display: grid; grid-template-columns: auto auto; gap: 4px 48px }
    dd { margin: 0; text-align: right }
  </style>
  <h1>We are open.</h1>
  <dl>
    <dt>Monday to Friday<dd>9 – 18
    <dt>Saturday<dd>10 – 15
    <dt>Sunday<dd>closed
  </dl>
</html>
`,
  },
  {
    name: "Game",
    text: "A bean that jumps over boxes",
    icon: "gamepad-2",
    app_engine: "kaboom",
    css_engine: "none",
    source_code: `kaboom({ background: [238, 245, 251] });

setGravity(1600);
const floor = height() - 64;
add([rect(width(), 64), pos(0, floor), area(), body({ isStatic: true }), color(44, 120, 90)]);
const player = add([rect(40, 40, { radius: 8 }), pos(80, floor - 80), area(), body(), color(35, 97, 181)]);
const score = add([text("0"), pos(24, 24), color(40, 40, 40), { value: 0 }]);

const jump = () => player.isGrounded() && player.jump(640);
onKeyPress("space", jump);
onMousePress(jump);

loop(1.4, () => {
  add([rect(28, rand(28, 72), { radius: 4 }), pos(width(), floor), anchor("botleft"), area(), move(LEFT, 280), offscreen({ destroy: true }), color(207, 90, 43), "box"]);
  score.value++;
  score.text = String(score.value);
});
player.onCollide("box", () => {
  addKaboom(player.pos);
  shake(8);
  score.value = 0;
  score.text = "0";
});
`,
  },
];
