/** Pages that use the package's bindings, each bundled for browsers from what `deno task pack` packs. */
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";
import { compile } from "svelte/compiler";
import { packedFiles } from "../../../client/pack/pack.ts";
import { findPackageFile } from "../../../server/compiler/runtime/packages.ts";

/** `test` is set by the page: the client, a database's code and a run's id. `uses` receives what a binding returns. */
const SVELTE = `<script>
  import { useAction, useRecords, useRun } from "atrium-client/svelte";
  const { atrium, code, run_id, uses } = globalThis.test;
  const guests = useRecords(atrium.db(code));
  const action = useAction(atrium, "weather", "now");
  const run = useRun(atrium, run_id);
  Object.assign(uses, { create: guests.create, update: guests.update, remove: guests.remove, run: action.run });
</script>
<ul>{#each guests.records as guest (guest.id)}<li>{guest.message}</li>{/each}</ul>
<p>{guests.state} {guests.loading} {action.data?.city} {action.error?.code} {action.pending} {run.run?.status}</p>`;

const VUE = `import { createApp, h } from "vue";
import { useAction, useRecords, useRun } from "atrium-client/vue";
const { atrium, code, run_id, uses } = globalThis.test;
createApp({
  setup() {
    const { records, state, loading, ...methods } = useRecords(atrium.db(code));
    const action = useAction(atrium, "weather", "now");
    const { run } = useRun(atrium, () => run_id);
    Object.assign(uses, methods, { run: action.run });
    return () => [
      h("ul", records.value.map(({ id, message }) => h("li", { key: id }, message))),
      h("p", [state.value, loading.value, action.data.value?.city, action.error.value?.code, action.pending.value,
        run.value?.status].join(" ")),
    ];
  },
}).mount("#app");`;

const REACT = `import { createElement as h } from "react";
import { createRoot } from "react-dom/client";
import { useAction, useRecords, useRun } from "atrium-client/react";
const { atrium, code, run_id, uses } = globalThis.test;
function Guests() {
  const { records, state, loading, ...methods } = useRecords(atrium.db(code), {});
  const { data, error, pending, run } = useAction(atrium, "weather", "now");
  const followed = useRun(atrium, run_id);
  Object.assign(uses, methods, { run });
  return [
    h("ul", { key: 1 }, records.map(({ id, message }) => h("li", { key: id }, message))),
    h("p", { key: 2 }, [state, loading, data?.city, error?.code, pending, followed.run?.status].join(" ")),
  ];
}
createRoot(document.querySelector("#app")).render(h(Guests));`;

const svelteProgram = () => {
  const { js } = compile(SVELTE, { generate: "client", filename: "Guests.svelte" });
  return `${js.code.replace("export default function", "function")}
import { mount } from "svelte";
mount(Guests, { target: document.querySelector("#app") });`;
};

const HEAD = `import { createClient } from "atrium-client";
const { token, code, run_id } = Object.fromEntries(new URLSearchParams(location.search));
globalThis.test = { atrium: createClient({ url: "", token }), code, run_id, uses: {} };`;

/** The HTML of a page by the binding's name. */
export async function bindingPages(): Promise<ReadonlyMap<string, string>> {
  const files = new Map((await packedFiles()).map(({ name, text }) => [name, text]));
  const programs = { react: REACT, vue: VUE, svelte: svelteProgram() };
  const pages = await Promise.all(
    Object.entries(programs).map(async ([name, program]): Promise<[string, string]> => {
      const { outputFiles: [output] } = await esbuild.build({
        stdin: { contents: `import "head";\nimport "program";` },
        bundle: true,
        write: false,
        format: "esm",
        minify: true,
        define: { "process.env.NODE_ENV": `"production"` },
        plugins: [inMemory(files, { head: HEAD, program })],
      });
      const code = (output?.text ?? "").replaceAll("</script", "<\\/script");
      return [name, `<!doctype html><title>${name}</title><div id="app"></div><script type="module">${code}</script>`];
    }),
  );
  return new Map(pages);
}

/** Finds the package's files, the page's own programs, and the packages of this project. */
const inMemory = (files: ReadonlyMap<string, string>, own: Record<string, string>): esbuild.Plugin => ({
  name: "in memory",
  setup(build) {
    build.onResolve({ filter: /^atrium-client/ }, ({ path }) => ({
      path: `${path.split("/")[1] ?? "index"}.js`,
      namespace: "packed",
    }));
    build.onResolve({ filter: /^\.\//, namespace: "packed" }, ({ path }) => ({
      path: path.slice(2),
      namespace: "packed",
    }));
    build.onLoad({ filter: /.*/, namespace: "packed" }, ({ path }) => ({ contents: files.get(path) ?? "" }));
    build.onResolve({ filter: /^(head|program)$/ }, ({ path }) => ({ path, namespace: "own" }));
    build.onLoad({ filter: /.*/, namespace: "own" }, ({ path }) => ({ contents: own[path] ?? "" }));
    build.onResolve({ filter: /^[^./#]/ }, ({ path, importer, namespace }) => ({
      path: findPackageFile(path, namespace === "file" ? importer : fileURLToPath(import.meta.url)).path,
    }));
  },
});
