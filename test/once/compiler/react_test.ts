import assert from "node:assert/strict";
import { CompileFailure, type CssEngine } from "../../../server/compiler/compiler.ts";
import { Runtime } from "../../../server/compiler/protocol.ts";
import { exportsOf, importsOf, openCompiler, sharedStore } from "./scratch.ts";

/** One compiler for all tests: building the runtime takes seconds. */
const store = sharedStore();

function openReact() {
  const compiler = openCompiler({ vendor_store: store });
  return {
    ...compiler,
    react: (source_code: string, css_engine: CssEngine = "none") =>
      compiler.compile({ engine: "react", css_engine, source_code }),
    /** React's modules, read after the first app is compiled. */
    modules(): Runtime["modules"] {
      const [, manifest] = [...store.files].find(([file]) => /^react-.*\.json$/.test(file)) ?? [];
      return Runtime.parse(JSON.parse(new TextDecoder().decode(manifest?.body))).modules;
    },
  };
}

const SENTENCE = 'nothing is shown: export a component as default, or call createRoot from "react-dom/client" yourself';

const MOUNTED: Record<string, string> = {
  "a function": `export default function App() { return <h1>a</h1>; }`,
  "memo": `import { memo } from "react"; export default memo(() => <h1>a</h1>);`,
  "an element": `export default <h1>a</h1>;`,
  "a class":
    `import { Component } from "react"; export default class extends Component { render() { return <h1>a</h1>; } }`,
  "a name in a list": `const App = () => <h1>a</h1>; export { App as default };`,
  "createRoot in a comment": `// not createRoot(…)\nexport default () => <h1>a</h1>;`,
  "createRoot in what it shows":
    `import ReactDOM from "react-dom"; export default () => <h1>createRoot {ReactDOM.createPortal("a", document.body)}</h1>;`,
  "createRoot imported, not called": `import { createRoot } from "react-dom/client"; export default () => <h1>a</h1>;`,
  "createRoot for another element, in an effect": `import { useEffect } from "react";
    import { createRoot } from "react-dom/client";
    export default () => { useEffect(() => createRoot(document.body).render("a")); return <h1>a</h1>; };`,
  "a function of its own called createRoot":
    `const createRoot = (x) => x; createRoot(1); export default () => <h1>a</h1>;`,
};

const MOUNTS_ITSELF: Record<string, string> = {
  "createRoot": `import { createRoot } from "react-dom/client"; createRoot(document.body).render(<h1>a</h1>);`,
  "hydrateRoot": `import { hydrateRoot } from "react-dom/client"; hydrateRoot(document.body, <h1>a</h1>);`,
  "createRoot and a default export": `import { createRoot } from "react-dom/client";
    export default () => <h1>a</h1>; createRoot(document.body).render(<h1>a</h1>);`,
  "createRoot, later": `import { createRoot } from "react-dom/client"; export default () => <h1>a</h1>;
    addEventListener("load", () => createRoot(document.body).render(<h1>a</h1>));`,
  "ReactDOM": `import ReactDOM from "react-dom/client"; ReactDOM.createRoot(document.body).render(<h1>a</h1>);`,
  "ReactDOM of react-dom, as before React 19":
    `import ReactDOM from "react-dom"; ReactDOM.createRoot(document.body).render(<h1>a</h1>);`,
  "ReactDOM as a namespace":
    `import * as ReactDOM from "react-dom/client"; ReactDOM.createRoot(document.body).render(<h1>a</h1>);`,
  "ReactDOM without an import": `ReactDOM.createRoot(document.body).render(<React.StrictMode>a</React.StrictMode>);`,
  "ReactDOM in parts": `const { createRoot } = ReactDOM; createRoot(document.body).render(<h1>a</h1>);`,
  "a dynamic import": `import("react-dom/client").then((it) => it.createRoot(document.body).render(<h1>a</h1>));`,
  "require": `const { createRoot } = require("react-dom/client"); createRoot(document.body).render(<h1>a</h1>);`,
};

const SHOWS_NOTHING: Record<string, string> = {
  "an empty source": "",
  "a component that is not exported": `function App() { return <h1>a</h1>; }`,
  "another export": `export function App() { return <h1>a</h1>; }`,
  "CommonJS": `module.exports = () => <h1>a</h1>;`,
  "React 17": `import ReactDOM from "react-dom"; ReactDOM.render(<h1>a</h1>, document.body);`,
};

Deno.test("react: a default export is mounted, once, unless the code mounts itself", async (test) => {
  await using compiler = openReact();
  const mounts = async (source: string) => {
    const { code, imports } = await compiler.react(source);
    const [file = "", name = ""] = compiler.modules()["react/internal/mount"]?.mount ?? [];
    assert.ok(imports.length > 0);
    return importsOf(code).get(file)?.has(name) ?? false;
  };
  const steps = [[MOUNTED, true], [MOUNTS_ITSELF, false]] as const;
  for (
    const [name, source, mounted] of steps.flatMap(([apps, is]) => Object.entries(apps).map((app) => [...app, is]))
  ) {
    await test.step(`${name}: ${mounted ? "mounted" : "as it is"}`, async () => {
      assert.equal(await mounts(String(source)), mounted);
    });
  }
  for (const [name, source] of Object.entries(SHOWS_NOTHING)) {
    await test.step(`${name}: refused`, async () => {
      await assert.rejects(compiler.react(source), (error) => {
        assert.ok(error instanceof CompileFailure);
        assert.deepEqual(error.messages, [SENTENCE]);
        return true;
      });
    });
  }
});

/** `rest`: the app uses a name of the second file. */
const APPS: Record<string, { source: string; rest: boolean }> = {
  "hooks": {
    source:
      `import { useState, useEffect, useRef, useMemo, useCallback, useReducer, useContext, createContext } from "react";
      const Name = createContext("a");
      export default function App() {
        const [n, set] = useState(0); const ref = useRef(null); const twice = useMemo(() => n * 2, [n]);
        const [, send] = useReducer((all, one) => [...all, one], []); const more = useCallback(() => set(n + 1), [n]);
        useEffect(() => { send(n); ref.current.title = useContext; }, [n]);
        return <><button ref={ref} onClick={more}>{twice}</button><Name value="b">{useContext(Name)}</Name></>;
      }`,
    rest: false,
  },
  "TSX": {
    source: `import { useState, type ReactNode } from "react";
      enum Kind { A = "a" }
      interface Props<T> { items: T[]; show(item: T): ReactNode }
      function List<T,>({ items, show }: Props<T>) { return <ul>{items.map((item) => <li>{show(item)}</li>)}</ul>; }
      export default function App() {
        const [items] = useState<string[]>(["a"]);
        return <List items={items as string[]} show={(item) => item! satisfies ReactNode} key={Kind.A} />;
      }`,
    rest: false,
  },
  "React without an import": {
    source: `const App = React.forwardRef((props, ref) => <React.Fragment><b ref={ref} /></React.Fragment>);
      export default () => { const [n] = React.useState(0); return <App>{n}</App>; };`,
    rest: false,
  },
  "React as a namespace": {
    source: `import * as React from "react"; export default () => <p>{React.useState(0)}</p>;`,
    rest: false,
  },
  "a key behind a spread": {
    source: `export default (props) => <ul>{[1].map((n) => <li {...props} key={n}>{n}</li>)}</ul>;`,
    rest: true,
  },
  "hooks of React 19": {
    source: `import { use, useActionState, useOptimistic, Suspense, lazy } from "react";
      import { useFormStatus, createPortal, flushSync } from "react-dom";
      const Later = lazy(async () => ({ default: () => <i>{use(Promise.resolve(1))}</i> }));
      export default function App() {
        const [sum, add] = useActionState((sum, form) => sum + Number(form.get("n")), 0);
        const [shown, show] = useOptimistic(sum); const { pending } = useFormStatus(); flushSync(show);
        return <form action={add}><Suspense><Later /></Suspense>{createPortal(pending, shown)}</form>;
      }`,
    rest: true,
  },
};

Deno.test("react: apps import names that the vendor files have, and the second file only where they need it", async () => {
  await using compiler = openReact();
  for (const [name, { source, rest }] of Object.entries(APPS)) {
    const { code, css, imports, scripts } = await compiler.react(source);
    const imported = importsOf(code);
    assert.deepEqual({ css, scripts }, { css: "", scripts: [] });
    assert.deepEqual(imports.toSorted(), [...imported.keys()].map((file) => `/vendor/${file}`).toSorted(), name);
    assert.equal(imports.length, rest ? 2 : 1, name);
    for (const [file, names] of imported) {
      const vendor = await compiler.vendor(file);
      assert.ok(vendor, `${name}: ${file}`);
      assert.deepEqual([...names].filter((each) => !exportsOf(vendor).has(each)), [], name);
    }
  }
});

Deno.test("react: every public name of the packages can be imported, of their production build", async () => {
  await using compiler = openReact();
  await compiler.react(`export default () => <p />;`);
  const modules = compiler.modules();
  const names = (module: string) => Object.keys(modules[module] ?? {});
  const hooks = [
    "useState",
    "use",
    "useActionState",
    "useOptimistic",
    "useEffectEvent",
    "Activity",
    "default",
    "version",
  ];
  const dom = [
    "createPortal",
    "flushSync",
    "useFormStatus",
    "preload",
    "createRoot",
    "hydrateRoot",
    "default",
    "version",
  ];
  assert.deepEqual(hooks.filter((name) => !names("react").includes(name)), []);
  assert.deepEqual(dom.filter((name) => !names("react-dom").includes(name)), []);
  assert.deepEqual(names("react-dom/client"), names("react-dom"));
  assert.deepEqual(names("react/jsx-runtime"), ["jsx", "jsxs", "Fragment"]);
  // React's development build exports these as well.
  assert.deepEqual(["act"].filter((name) => names("react").includes(name)), []);
  for (const [module, exports] of Object.entries(modules)) {
    for (const [name, [file, there]] of Object.entries(exports)) {
      const vendor = await compiler.vendor(file);
      assert.ok(vendor && exportsOf(vendor).has(there), `${module} ${name}`);
    }
  }
});

Deno.test("react: a small app is small and has no further imports", async () => {
  await using compiler = openReact();
  const { config, imports: [file = "", ...others] } = await compiler.react(`export default () => <h1>Hello</h1>;`);
  assert.ok(config.size.brotli < 150, `${config.size.brotli} bytes`);
  assert.deepEqual(others, []);
  const runtime = await compiler.vendor(file.slice("/vendor/".length));
  assert.ok(runtime && runtime.brotli.length < 59_000, `${runtime?.brotli.length} bytes`);
  const text = new TextDecoder().decode(runtime.body);
  assert.match(text, /^\/\* react 19\.\d+\.\d+, MIT licence/);
  assert.match(text, /Minified React error/);
  assert.doesNotMatch(text, /\bprocess\.env\b|validateDOMNesting|react-stack-bottom-frame/);
});

Deno.test("react: classes are read from the source, and styles in elements stay where they are", async () => {
  await using compiler = openReact();
  const source = `export default () => (
    <p className={["p-4", true && "md:hover:underline"].join(" ")}>
      <style href="a" precedence="low">{".a { color: red }"}</style>
    </p>);`;
  const { code, css, css_build_time, config } = await compiler.react(source, "tailwind");
  assert.match(css, /\.p-4\{/);
  assert.match(css, /md\\:hover\\:underline/);
  assert.doesNotMatch(css, /\.a\{/);
  assert.match(code, /\.a \{ color: red \}/);
  assert.ok(css_build_time >= 1);
  assert.deepEqual(Object.keys(config.compiler), ["react", "react-dom", "esbuild", "tailwindcss"]);
  const all = await compiler.react(source, "tailwind_all");
  assert.deepEqual({ css: all.css, scripts: all.scripts.length }, { css: "", scripts: 1 });
});

Deno.test("react: likely mistakes are warnings with positions", async () => {
  await using compiler = openReact();
  const { config } = await compiler.react(
    `export default () => <p>a > b</p>;\n\tconst żółć = () => { return\n <p /> };żółć();`,
  );
  assert.deepEqual(config.warnings, [
    '1:27 The character ">" is not valid inside a JSX element',
    "2:29 The following expression is not returned because of an automatically-inserted semicolon",
  ]);
});

const SECRET = "/tmp/atrium_react_secret.json";
/** Attempts to read a file of the server, and the expected refusal. */
const ATTEMPTS: Record<string, { source: string; says: RegExp }> = {
  "a stylesheet": {
    source: `import "./style.css"; export default () => <p />;`,
    says: /"\.\/style\.css" cannot be imp/,
  },
  "JSON": {
    source: `import a from "${SECRET}" with { type: "json" }; export default () => a;`,
    says: /attributes are n/,
  },
  "require": { source: `export default () => require("${SECRET}");`, says: /cannot be imported/ },
  "a dynamic import": { source: `export default () => import("file://${SECRET}");`, says: /cannot be imported/ },
  "an export from": { source: `export { default } from "${SECRET}";`, says: /cannot be imported/ },
  "a vendor file by hand": { source: `import "/vendor/a.js"; export default () => <p />;`, says: /cannot be imported/ },
  "a JSX runtime of its own": {
    source: `/** @jsxImportSource ${SECRET} */\nexport default () => <p />;`,
    says: /^2:22 "[^"]+jsx-runtime" cannot be imported/,
  },
  "React's server": { source: `import "react-dom/server"; export default () => <p />;`, says: /cannot be imported/ },
  "another package": {
    source: `import _ from "lodash"; export default () => _;`,
    says: /"lodash" cannot be imported; an app may import react, react-dom, react-dom\/client, platform\n/,
  },
};

Deno.test("react: nothing in a source reaches the file system", async (test) => {
  await Deno.writeTextFile(SECRET, `{"secret":"canary"}`);
  await using compiler = openReact();
  for (const [name, { source, says }] of Object.entries(ATTEMPTS)) {
    await test.step(name, async () => {
      const failure = await compiler.react(source).then(() => undefined, (error) => error);
      assert.ok(failure instanceof CompileFailure, `${failure ?? "it compiles"}`);
      assert.match(failure.messages.join("\n"), says);
    });
  }
  const source = `export default () => <p />;\n//# sourceMappingURL=file://${SECRET}`;
  assert.doesNotMatch((await compiler.react(source)).code, /sourceMappingURL|canary/);
  await Deno.remove(SECRET);
});

Deno.test("react: an unused import of an unknown package is a warning, a used one a mistake", async () => {
  await using compiler = openReact();
  const shown = "export default () => <h1>a</h1>;";
  for (const list of ["lodash", "{ map, each as one }", "* as all"]) {
    const { config, code } = await compiler.react(`import ${list} from "lodash";\n${shown}`);
    assert.deepEqual(config.warnings.map((warning) => warning.replace(/^1:\d+ /, "")), [
      '"lodash" cannot be imported here; the import is not used and is left out',
    ]);
    assert.doesNotMatch(code, /lodash/);
  }
  for (const used of [`import a from "lodash"; a();`, `import "lodash";`, `import a from "lodash"; export { a };`]) {
    const failure = await compiler.react(`${used}\n${shown}`).catch((error) => error);
    assert.match(`${failure.messages}`, /^1:\d+ "lodash" cannot be imported; an app may import react/, used);
  }
});

Deno.test("react: modules that the compiler uses cannot be imported", async () => {
  await using compiler = openReact();
  for (const name of ["app:source", "app:globals", "react/internal/mount"]) {
    const source = `import * as it from "${name}";\nexport default () => <h1>{String(it)}</h1>;`;
    const failure = await compiler.react(source).catch((error) => error);
    assert.match(`${failure.messages}`, /^1:21 "[^"]+" cannot be imported; an app may import react/, name);
  }
});

Deno.test("react: names that only its development build exports can be imported", async () => {
  await using compiler = openReact();
  const { code } = await compiler.react(
    `import { captureOwnerStack } from "react"; export default () => <h1>{captureOwnerStack()}</h1>;`,
  );
  assert.ok(code);
});
