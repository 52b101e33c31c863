// deno-lint-ignore no-import-prefix
export { build } from "npm:vite@8.3.8";
