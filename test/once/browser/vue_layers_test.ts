/**
 * Vue's runtime is split into layers by statements (server/compiler/layers/). Each case loads some layers and checks
 * that they work.
 */
import { type Case, testCases } from "./layers.ts";

const CASES: Record<string, Case> = {
  "text": { source: "<template><h1>Hello</h1></template>", texts: ["Hello"], files: 1 },
  "a counter": {
    source:
      `<script setup>import { computed, ref } from "vue"; const n = ref(0); const twice = computed(() => n.value * 2);</script>
      <template><button @click="n++">{{ n }} {{ twice }}</button></template>`,
    texts: ["0 0", "1 2", "2 4"],
    files: 1,
  },
  "lists, conditions, bindings, watchers and life": {
    source: `<script setup>
        import { nextTick, onMounted, onUpdated, reactive, ref, toRefs, useTemplateRef, watch, watchEffect } from "vue";
        const state = reactive({ items: [{ text: "a", done: false }], text: "b" });
        const { items, text } = toRefs(state);
        const seen = ref(""), one = ref("x"), log = ref([]), node = useTemplateRef("node");
        watch(() => state.items.length, (now, before) => log.value.push(before + ">" + now));
        watchEffect(() => { seen.value = state.items.map(({ text, done }) => text + Number(done)).join(); });
        onMounted(() => log.value.push("m" + node.value.tagName));
        let updated = false;
        onUpdated(() => { updated = true; });
        const add = async () => {
          state.items[0].done = true; state.items.unshift({ text: text.value, done: false }); text.value += "!"; one.value = "y";
          await nextTick(); log.value.push("u" + updated);
        };
        const vMark = { mounted: (el, { value }) => { el.textContent = "d" + value; } };
      </script>
      <template>
        <input v-model="text"><button @click.prevent="add">{{ text }}</button>
        <label v-for="(item, i) in items" :key="item.text" :class="{ done: item.done }" :style="{ opacity: 1 - i / 10 }">
          <input type="checkbox" v-model="item.done">{{ i }}{{ item.text }}</label>
        <select v-model="one"><option>x</option><option>y</option></select>
        <p v-if="items.length > 1" ref="node">many</p><p v-else ref="node">few</p>
        <i v-show="items.length > 9">hidden</i><b v-mark="7"></b> {{ seen }} {{ one }} {{ log.join(" ") }}
      </template>`,
    texts: ["b0axyfewhiddend7 a0 x mP", "b!0b1axymanyhiddend7 b0,a1 y mP 1>2 utrue"],
    files: 1,
  },
  "built-in components": {
    source: `<script setup>
        import { ref, shallowRef, h, useId, useSlots, customRef } from "vue";
        const n = ref(0), picked = ref("a"), kind = ref("text"), entered = ref(0);
        const One = (_, { slots }) => h("i", slots.default?.() ?? "one");
        const Two = () => h("u", "two");
        const shown = shallowRef(One);
        const late = customRef((track, trigger) => { let v = 1; return { get: () => (track(), v), set: (x) => { v = x; trigger(); } }; });
        const next = () => { n.value++; shown.value = n.value % 2 ? Two : One; picked.value = "b"; late.value++; };
      </script>
      <template>
        <button @click="next">{{ n }}</button>
        <KeepAlive><component :is="shown" /></KeepAlive>
        <Transition appear @enter="entered++"><b v-if="n > 0">in</b></Transition>
        <TransitionGroup tag="p"><s v-for="i in n" :key="i">{{ i }}</s></TransitionGroup>
        <Teleport to="#platform-app" defer><em>far</em></Teleport>
        <input type="radio" value="a" v-model="picked"><input :type="kind" v-model="picked">
        <Suspense><One>slot</One></Suspense> {{ picked }} {{ late }} {{ typeof useId() }} {{ typeof useSlots() }} {{ entered }}
      </template>`,
    texts: [
      "0oneslot a 1 string object 0far",
      "1twoin1slot b 2 string object 1far",
      "2onein12slot b 3 string object 1far",
    ],
    files: 3,
  },
  "waiting": {
    source: `<script setup>import { ref } from "vue"; const n = ref(await Promise.resolve(5));</script>
      <template><button @click="n++">{{ n }}</button></template>`,
    texts: ["5", "6"],
    files: 2,
  },
  "options": {
    source: `<script>
        import { defineComponent, h } from "vue";
        const mixin = { data: () => ({ mixed: "mix" }), created() { this.log.push("mc"); } };
        const Child = { props: ["x"], data: () => ({ y: 2 }), inject: ["given"], render() { return h("i", this.x + this.y + this.given); } };
        export default defineComponent({
          components: { Child },
          mixins: [mixin],
          provide: { given: "g" },
          data: () => ({ n: 1, log: [] }),
          computed: { twice: { get() { return this.n * 2; }, set(v) { this.n = v / 2; } } },
          watch: { n(now, before) { this.log.push(before + ">" + now); } },
          created() { this.log.push("c"); this.$watch("twice", (v) => this.log.push("w" + v)); },
          methods: { more() { this.twice += 2; } },
        });
      </script>
      <template><button @click="more">{{ n }} {{ twice }}</button><Child :x="n" /> {{ mixed }} {{ log.join() }}</template>`,
    texts: ["1 23g mix mc,c", "2 44g mix mc,c,1>2,w4"],
    files: 1,
  },
  "options of a component in a script with setup": {
    source: `<script setup>
        import { h } from "vue";
        const Child = { data: () => ({ n: 3 }), render() { return h("button", { onClick: () => this.n++ }, this.n); } };
      </script>
      <template><Child /></template>`,
    texts: ["3", "4"],
    files: 1,
  },
  "the rest": {
    source: `<script setup>
        import * as vue from "vue";
        const { defineCustomElement, h, ref, version } = vue;
        customElements.define("an-element", defineCustomElement({ props: { x: String }, render() { return h("b", this.x); } }));
        const n = ref(1);
        const text = ref("");
        const look = () => { n.value++; text.value = document.querySelector("an-element").shadowRoot.textContent; };
      </script>
      <template><button @click="look">{{ n }}</button><an-element :x="'e' + n" /> {{ text }} {{ version.split(".")[0] }}</template>`,
    texts: ["1 3", "2 e1 3", "3 e2 3"],
    files: 4,
  },
};

testCases("vue", CASES);
