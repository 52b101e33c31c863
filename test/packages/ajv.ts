// deno-lint-ignore no-import-prefix
export { Ajv2020 } from "npm:ajv@8.20.0/dist/2020.js";
