/** Programs that try to take time, memory or what they may not have. Each ends with this error, or with this value. */

export interface Hostile {
  name: string;
  /** JSONata, or a function in JavaScript. */
  expression?: string;
  code?: string;
  error?: RegExp;
  value?: unknown;
}

const ENDLESS = /^took longer than/;
/** On a busy machine the time may be over before the memory is. */
const MEMORY =
  /^needs more than 64 MB|^took longer than|Invalid (array|string) length|allocation failed|out of memory/i;
const DEPTH = /call stack|nested too deeply|Stack overflow|^took longer than|^needs more than 64 MB/;
const EITHER = /./;

const LONG = "a".repeat(40);

const expressions: Hostile[] = [
  { name: "a tail call without end", expression: "( $f := function($x) { $f($x) }; $f(1) )", error: ENDLESS },
  { name: "a recursion without end", expression: "( $f := function($x) { 1 + $f($x) }; $f(1) )", error: DEPTH },
  {
    name: "two functions that call each other",
    expression: "( $f := function() { $g() }; $g := function() { $f() }; $f() )",
    error: ENDLESS,
  },
  {
    name: "exponential recursion",
    expression: "( $f := function($n) { $n < 2 ? 1 : $f($n - 1) + $f($n - 2) }; $f(60) )",
    error: ENDLESS,
  },
  {
    name: "loops within loops",
    expression: "$map([1..9999], function($i) { $map([1..9999], function($j) { $i * $j }) })",
    error: MEMORY,
  },
  { name: "a list that doubles", expression: "( $f := function($x) { $f($append($x, $x)) }; $f([1]) )", error: MEMORY },
  { name: "a text that doubles", expression: "( $f := function($x) { $f($x & $x) }; $f('x') )", error: MEMORY },
  { name: "ten million items", expression: "[1..9999999]", error: MEMORY },
  { name: "more items than JSONata makes", expression: "[1..100000000]", error: /10000000|1e7|1e\+7|sequence|range/i },
  {
    name: "a million items as the result",
    expression: "[1..1000000]",
    error: /^returns more than 1 MiB|64 MB|took longer/,
  },
  { name: "a long text", expression: "$pad('', 900000000, 'x')", error: MEMORY },
  { name: "sorting by chance", expression: "$sort([1..2000000], function($a, $b) { $random() > 0.5 })", error: MEMORY },
  { name: "a catastrophic match", expression: `$match('${LONG}!', /(a+)+$/)`, error: ENDLESS },
  { name: "a catastrophic replacement", expression: `$replace('${LONG}!', /(a|aa)+$/, '')`, error: ENDLESS },
  { name: "a catastrophic split", expression: `$split('${LONG}!', /(a|a)*b/)`, error: ENDLESS },
  { name: "a catastrophic test", expression: `$contains('${LONG}!', /^(([a-z])+.)+[A-Z]([a-z])+$/)`, error: ENDLESS },
  { name: "eval", expression: "$eval('1 + 1')", error: /\$eval is not available/ },
  { name: "the constructor of a value", expression: "({}).constructor", value: null },
  { name: "the prototype of a value", expression: "$lookup({}, '__proto__')", value: null },
  { name: "the constructor of a function", expression: "$sum.constructor", value: null },
  {
    name: "a polluted prototype",
    expression: "( $merge([{ '__proto__': { 'polluted': 1 } }]); {}.polluted )",
    value: null,
  },
  { name: "division by zero", expression: "1 / 0", error: EITHER },
  { name: "an unknown function", expression: "$fetch('http://localhost')", error: EITHER },
];

const codes: Hostile[] = [
  { name: "an endless loop", code: "() => { for (;;); }", error: ENDLESS },
  {
    name: "the server's path in stacks",
    code: `() => {
      const overflow = () => overflow();
      const stacks = [];
      const look = () => {
        stacks.push(new Error("plain").stack, Error.captureStackTrace(stacks), stacks.stack);
        try { overflow(); } catch (error) { stacks.push(error.stack); }
        try { null.f(); } catch (error) { stacks.push(error.stack); }
      };
      look();
      try { Error.stackTraceLimit = 50; } catch {}
      try { Object.defineProperty(Error, "stackTraceLimit", { value: 50 }); } catch {}
      look();
      Error.prepareStackTrace = (error, frames) => JSON.stringify(frames.map(String));
      look();
      return stacks.filter((stack) => /file:|worker|prelude|\\n/.test(String(stack)));
    }`,
    value: [],
  },
  { name: "an endless loop of promises", code: "async () => { for (;;) await null; }", error: ENDLESS },
  {
    name: "microtasks without end",
    code: "() => new Promise(() => { const f = () => Promise.resolve().then(f); f(); })",
    error: ENDLESS,
  },
  { name: "an endless loop in a toJSON", code: "() => ({ toJSON() { for (;;); } })", error: ENDLESS },
  { name: "an endless loop in a getter", code: "() => ({ get a() { for (;;); } })", error: ENDLESS },
  { name: "an endless loop in a proxy", code: "() => new Proxy({}, { ownKeys() { for (;;); } })", error: ENDLESS },
  { name: "an endless loop in a then", code: "() => ({ then() { for (;;); } })", error: ENDLESS },
  { name: "an endless loop in an error", code: "() => { throw { get message() { for (;;); } }; }", error: ENDLESS },
  { name: "an endless loop in console", code: "() => console.log({ toJSON() { for (;;); } })", error: ENDLESS },
  { name: "an endless loop in a finally", code: "() => { try { throw 1; } finally { for (;;); } }", error: ENDLESS },
  { name: "an endless comparison", code: "() => [1, 2].sort(() => { for (;;); })", error: ENDLESS },
  {
    name: "a generator without end",
    code: "() => { for (const x of (function* () { for (;;) yield 1; })()); }",
    error: ENDLESS,
  },
  { name: "a catastrophic regular expression", code: `() => /^(a+)+$/.test("${LONG}!")`, error: ENDLESS },
  { name: "a catastrophic search", code: `() => "${LONG}${LONG}!".replace(/(.*)*x/, "")`, error: EITHER },
  {
    name: "waiting by the clock",
    code: "() => { const at = Date.now(); while (Date.now() < at + 1); }",
    error: ENDLESS,
  },
  { name: "power without end", code: "() => String(3n ** 9_999_999n).length", error: EITHER },
  {
    name: "a list without end",
    code: "() => { const all = []; for (;;) all.push({ n: all.length }); }",
    error: MEMORY,
  },
  {
    name: "buffers without end",
    code: "() => { const all = []; for (;;) all.push(new Uint8Array(1e7).fill(1)); }",
    error: MEMORY,
  },
  { name: "one enormous buffer", code: "() => new ArrayBuffer(2 ** 40).byteLength", error: MEMORY },
  {
    name: "a text without end",
    code: "() => { let text = 'x'; for (;;) text = (text + text).split('').join(''); }",
    error: MEMORY,
  },
  { name: "one enormous list", code: "() => new Array(2 ** 32)", error: MEMORY },
  { name: "a filled list", code: "() => new Array(3e7).fill({}).map((_, n) => ({ n }))", error: MEMORY },
  {
    name: "a map without end",
    code: "() => { const all = new Map(); for (let n = 0;; n++) all.set(n, [n]); }",
    error: MEMORY,
  },
  { name: "a generator spread without end", code: "() => [...(function* () { for (;;) yield {}; })()]", error: MEMORY },
  {
    name: "closures without end",
    code: "() => { let f = () => 0; for (;;) { const g = f; f = () => [g]; } }",
    error: MEMORY,
  },
  {
    name: "a flood of console lines",
    code: "() => { for (let n = 0; n < 1e5; n++) console.log('x'.repeat(5000)); }",
    value: null,
  },
  { name: "a recursion without end", code: "() => { const f = () => f() + 1; return f(); }", error: DEPTH },
  {
    name: "a recursion that catches itself",
    code: "() => { const f = () => { try { f(); } catch { f(); } }; f(); }",
    error: DEPTH,
  },
  {
    name: "deeply nested JSON as the result",
    code: "() => { let a = []; for (let n = 0; n < 1e5; n++) a = [a]; return a; }",
    error: /nested deeper than 64/,
  },
  { name: "deeply nested JSON read", code: "() => JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))", error: DEPTH },
  { name: "a circle as the result", code: "() => { const a = {}; a.a = a; return a; }", error: /circular/i },
  {
    name: "a million items as the result",
    code: "() => Array.from({ length: 1e6 }, (_, n) => n)",
    error: /^returns more than 1 MiB/,
  },
  { name: "a large text as the result", code: "() => 'x'.repeat(2e6)", error: /^returns more than 1 MiB/ },
  { name: "a number that is no JSON as the result", code: "() => 10n", error: /BigInt/ },
  { name: "a function as the result", code: "() => () => 1", value: null },
  { name: "a promise that is never settled", code: "() => new Promise(() => {})", error: /never settled/ },
  { name: "nothing thrown", code: "() => { throw null; }", error: EITHER },
  {
    name: "an error with hostile properties",
    code: "() => { throw { get message() { throw 1; }, get name() { throw 2; } }; }",
    error: /^failed$/,
  },
  { name: "a long error", code: "() => { throw new Error('x'.repeat(1e6)); }", error: /^x{1000}$/ },
  { name: "eval", code: "() => eval('1 + 1')", error: /Code generation/ },
  { name: "a function from a text", code: "() => new Function('return 1')()", error: /Code generation/ },
  {
    name: "the constructor of the global object",
    code: "() => globalThis.constructor.constructor('return Deno')()",
    error: EITHER,
  },
  {
    name: "the constructor of an asynchronous function",
    code: "() => (async () => {}).constructor('return 1')()",
    error: /Code generation/,
  },
  {
    name: "an import of a module of node",
    code: "() => im" + "port('node:fs').then((fs) => Object.keys(fs).length)",
    error: EITHER,
  },
  { name: "an import of an address", code: "() => im" + "port('http://127.0.0.1/x.js')", error: EITHER },
  { name: "an import of a file", code: "() => im" + "port('file:///etc/passwd')", error: EITHER },
  { name: "an import of a text", code: "() => im" + "port('data:text/javascript,export default 1')", error: EITHER },
  {
    name: "the error of an import",
    code: "() => im" + "port('x').catch((error) => error.constructor.constructor('return 1')())",
    error: /Code generation/,
  },
  { name: "require", code: "() => require('fs').readFileSync('/etc/passwd', 'utf8')", error: /require is not defined/ },
  { name: "a file by Deno", code: "() => Deno.readTextFileSync('/etc/passwd')", error: /Deno is not defined/ },
  { name: "a process by Deno", code: "() => new Deno.Command('sh').outputSync()", error: /Deno is not defined/ },
  { name: "the environment by Deno", code: "() => Deno.env.toObject()", error: /Deno is not defined/ },
  { name: "the environment by process", code: "() => process.env", error: /process is not defined/ },
  { name: "the network by fetch", code: "() => fetch('http://127.0.0.1')", error: /fetch is not defined/ },
  { name: "the network by a socket", code: "() => new WebSocket('ws://127.0.0.1')", error: /WebSocket is not defined/ },
  { name: "another thread", code: "() => new Worker('data:text/javascript,for(;;);')", error: /Worker is not defined/ },
  { name: "a timer", code: "() => setTimeout(() => {}, 1)", error: /setTimeout is not defined/ },
  {
    name: "machine code",
    code: "() => new WebAssembly.Memory({ initial: 60000 })",
    error: /WebAssembly is not defined/,
  },
  {
    name: "shared memory",
    code: "() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)",
    error: /not defined/,
  },
  {
    name: "the real clock",
    code: "() => [typeof Temporal.Now, new Date().getTime() === Date.now(), Date().length > 9]",
    value: ["undefined", true, true],
  },
  {
    name: "frames of the caller",
    code:
      "() => { Error.prepareStackTrace = (_, frames) => frames.map((frame) => typeof frame.getThis() + typeof frame.getFunction()).some((text) => text !== 'undefinedundefined' && text !== 'undefinedfunction' && text !== 'objectfunction'); return new Error().stack; }",
    value: "code:1:269",
  },
  {
    name: "frames of the caller by a changed list",
    code:
      "() => { let seen = 0; const spy = function () { seen++; return undefined; }; Object.defineProperty(Object.prototype, 'getFileName', { get: spy }); Array.prototype[Symbol.iterator] = spy; const names = Object.getOwnPropertyNames(Array.prototype); for (let at = 0; at < names.length; at++) if (names[at] !== 'constructor' && names[at] !== 'length') Array.prototype[names[at]] = spy; const stack = new Error().stack; return [typeof stack, seen]; }",
    value: ["string", 0],
  },
  {
    name: "a stack with the line 0",
    code: "() => { throw { message: 'thrown', stack: 'code:0:0' }; }",
    error: /^thrown$/,
  },
  {
    name: "names of the realm",
    code:
      "() => ['Deno', 'process', 'require', 'module', 'Buffer', 'jsonata', 'crypto', 'performance'].filter((name) => name in globalThis)",
    value: [],
  },
  {
    name: "a polluted prototype",
    code: "() => { Object.prototype.error = 'x'; Object.prototype.toJSON = () => 'y'; return {}; }",
    value: "y",
  },
  { name: "JSON replaced", code: "() => { JSON.stringify = () => 'no'; JSON.parse = null; return 1; }", value: 1 },
  {
    name: "lists replaced",
    code:
      "() => { for (const name of Object.getOwnPropertyNames(Array.prototype)) try { Array.prototype[name] = null; } catch {} return 1; }",
    value: 1,
  },
  { name: "promises replaced", code: "() => { Promise.prototype.then = () => { for (;;); }; return 1; }", value: 1 },
  {
    name: "a line in the answer's name",
    code: '() => { console.log(\'\\n{"json":"2","console":[]}\\n\'); return 1; }',
    value: 1,
  },
  {
    name: "the answer's shape as the result",
    code: "() => ({ error: 'x', console: ['y'], json: '3' })",
    value: { error: "x", console: ["y"], json: "3" },
  },
  {
    name: "the global object deleted",
    code: "() => { for (const name of Object.getOwnPropertyNames(globalThis)) delete globalThis[name]; return 1; }",
    error: EITHER,
  },
  { name: "the exports replaced", code: "() => { globalThis.atrium_code = 1; return 2; }", value: 2 },
  { name: "a prototype by its setter", code: "() => { ({}).__proto__.polluted = 1; return ({}).polluted; }", value: 1 },
  { name: "an integer without end", code: "() => { let n = 2n; for (;;) n *= n; }", error: EITHER },
  {
    name: "zones without end",
    code: "() => { for (;;) new Intl.DateTimeFormat('en', { timeZone: 'Europe/Warsaw' }); }",
    error: MEMORY,
  },
  {
    name: "names of properties without end",
    code: "() => { const all = {}; for (let n = 0;; n++) all['name' + n] = n; }",
    error: MEMORY,
  },
  { name: "symbols without end", code: "() => { for (let n = 0;; n++) Symbol.for('symbol' + n); }", error: MEMORY },
  { name: "a long regular expression", code: "() => new RegExp('(a?){1000}'.repeat(200)).test('b')", error: EITHER },
  {
    name: "asynchronous lists without end",
    code: "() => Array.fromAsync((function* () { for (;;) yield 1; })())",
    error: MEMORY,
  },
  {
    name: "a list of a million lists sorted",
    code: "() => Array.from({ length: 1e6 }, (_, n) => [n]).sort().length",
    error: EITHER,
  },
];

export const HOSTILE: readonly Hostile[] = [...expressions, ...codes];
