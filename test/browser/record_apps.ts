/** The same small app in three engines. It lists, creates, changes and deletes the visitor's own records. */

const SVELTE = `<script>
  import { db } from "platform";
  const tasks = db();
  let records = $state([]);
  let title = $state("");
  const load = async () => records = await tasks.list({ sort: "title" });
  const then = (call) => call.then(load);
  $effect(() => {
    load();
    return tasks.subscribe(load);
  });
</script>
<form onsubmit={(event) => { event.preventDefault(); then(tasks.create({ title })); title = ""; }}>
  <input aria-label="Title" bind:value={title}><button>Add</button>
</form>
<ul>
  {#each records as record (record.id)}
    <li data-id={record.id}>
      <span>{record.title}{record.done ? " done" : ""}</span>
      <button onclick={() => then(tasks.update(record.id, { done: true }))}>Finish</button>
      <button onclick={() => then(tasks.delete(record.id))}>Delete</button>
    </li>
  {/each}
</ul>`;

const VUE = `<script setup>
import { onMounted, onUnmounted, ref } from "vue";
import { db } from "platform";
const tasks = db();
const records = ref([]);
const title = ref("");
const load = async () => records.value = await tasks.list({ sort: "title" });
const add = async () => {
  await tasks.create({ title: title.value });
  title.value = "";
  await load();
};
const finish = (id) => tasks.update(id, { done: true }).then(load);
const remove = (id) => tasks.delete(id).then(load);
let stop;
onMounted(() => {
  load();
  stop = tasks.subscribe(load);
});
onUnmounted(() => stop());
</script>
<template>
  <form @submit.prevent="add"><input aria-label="Title" v-model="title"><button>Add</button></form>
  <ul>
    <li v-for="record in records" :key="record.id" :data-id="record.id">
      <span>{{ record.title }}{{ record.done ? " done" : "" }}</span>
      <button @click="finish(record.id)">Finish</button>
      <button @click="remove(record.id)">Delete</button>
    </li>
  </ul>
</template>`;

const REACT = `import { useEffect, useState } from "react";
import { db } from "platform";
const tasks = db();

export default function Tasks() {
  const [records, setRecords] = useState([]);
  const load = async () => setRecords(await tasks.list({ sort: "title" }));
  useEffect(() => {
    load();
    return tasks.subscribe(load);
  }, []);
  const add = async (event) => {
    event.preventDefault();
    const form = event.currentTarget;
    await tasks.create({ title: new FormData(form).get("title") });
    form.reset();
    await load();
  };
  return (
    <>
      <form onSubmit={add}><input aria-label="Title" name="title" /><button>Add</button></form>
      <ul>
        {records.map(({ id, title, done }) => (
          <li key={id} data-id={id}>
            <span>{title}{done ? " done" : ""}</span>
            <button onClick={() => tasks.update(id, { done: true }).then(load)}>Finish</button>
            <button onClick={() => tasks.delete(id).then(load)}>Delete</button>
          </li>
        ))}
      </ul>
    </>
  );
}`;

export const RECORD_APPS = { svelte: SVELTE, vue: VUE, react: REACT };
