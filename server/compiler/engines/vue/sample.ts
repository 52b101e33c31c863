/** A small Vue app that uses most of the compiler (`EngineModule.sample`). */
export const sample = `<script setup lang="ts">
import { computed, ref, watchEffect } from "vue";
const props = defineProps<{ first?: number }>();
const items = ref([{ name: "one", done: false }]);
const left = computed(() => items.value.filter((item) => !item.done).length);
watchEffect(() => console.log(left.value, props.first));
</script>
<template>
  <main class="mx-auto max-w-md p-4">
    <label v-for="item in items" :key="item.name" :class="{ done: item.done }">
      <input type="checkbox" v-model="item.done"> {{ item.name }}
    </label>
    <p v-if="items.length === 0">None</p>
    <button :class="$style.add" @click="items.push({ name: String(items.length), done: false })">{{ left }} left</button>
  </main>
</template>
<style scoped>
.done { @apply opacity-50; width: v-bind("left + 'px'"); }
</style>
<style module>
.add { color: red; }
</style>
`;
