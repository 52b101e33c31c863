// deno-lint-ignore-file no-import-prefix
/** A real provider of OpenID Connect, for `test/stage/openid/`. */
export { default as Provider } from "npm:oidc-provider@9.13.3";
