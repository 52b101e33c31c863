/** Any value that JSON can represent, as `JSON.parse` returns it. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };
export type JsonObject = { [name: string]: JsonValue };
