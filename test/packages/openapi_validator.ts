// deno-lint-ignore no-import-prefix
export { Validator } from "npm:@seriousme/openapi-schema-validator@2.11.0";
