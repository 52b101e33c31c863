/**
 * The packages that the console bundles, as modules of this graph: esbuild's plugin finds their files in Deno's cache.
 * Never called.
 */
export const PACKAGES = () => [
  import("@trpc/client"),
  import("superjson"),
  import("svelte"),
  import("@codemirror/autocomplete"),
  import("@codemirror/commands"),
  import("@codemirror/lang-html"),
  import("@codemirror/lang-javascript"),
  import("@codemirror/lang-vue"),
  import("@codemirror/language"),
  import("@codemirror/lint"),
  import("@codemirror/merge"),
  import("@codemirror/search"),
  import("@codemirror/state"),
  import("@codemirror/view"),
  import("@lezer/highlight"),
  import("@replit/codemirror-lang-svelte"),
  import("prettier"),
  import("uqr"),
];
