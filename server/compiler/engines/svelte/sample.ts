/** A small Svelte app that uses most of the compiler (`EngineModule.sample`). */
export const sample = `<script lang="ts">
  let { first = 1 }: { first?: number } = $props();
  let items = $state([{ name: "one", done: false }]);
  let left = $derived(items.filter((item) => !item.done).length);
  $effect(() => console.log(left, first));
</script>
<main class="mx-auto max-w-md p-4">
  {#each items as item (item.name)}
    <label class:done={item.done}><input type="checkbox" bind:checked={item.done}> {item.name}</label>
  {:else}
    <p>None</p>
  {/each}
  <button class="btn" onclick={() => items.push({ name: String(items.length), done: false })}>{left} left</button>
</main>
<style>
  .btn { @apply rounded bg-blue-600 px-3 py-1 text-white hover:bg-blue-700; }
  .done { opacity: 0.5; }
</style>
`;
