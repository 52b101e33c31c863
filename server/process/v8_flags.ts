/**
 * The flags of V8 for a server, which only a command line can set. The task `start` in `deno.json` has the same.
 *
 * - `wasm-tiering-budget`: WebAssembly is optimized later, which takes 40 MB less.
 * - `no-allocation-site-pretenuring`: otherwise V8 puts objects of some literals into the old generation, because earlier
 *   ones have survived. Each such object keeps its request alive until the next full collection. Collections of the young
 *   generation then took 85 instead of 30 µs of a read, on a busy machine.
 * - `invocation-count-for-turbofan`: functions reach the last optimizing compiler after a third of the usual calls. A server
 *   has many functions that are called once a request, and each stays in the compiler before for thousands of requests.
 */
export const V8_FLAGS = "--v8-flags=--wasm-tiering-budget=300000000,--no-allocation-site-pretenuring," +
  "--invocation-count-for-turbofan=1000";
