// deno-lint-ignore no-import-prefix
export { default } from "npm:ajv-formats@3.0.1";
