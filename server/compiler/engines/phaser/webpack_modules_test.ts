import assert from "node:assert/strict";
import { listModules } from "./webpack_modules.ts";

/** The code that webpack writes around modules. */
const bundle = (modules: string) =>
  `var out;!function(t,e){out=e()}(this,(()=>(()=>{var t=${modules},e={};function i(s){var n=e[s];` +
  `if(void 0!==n)return n.exports;var r=e[s]={exports:{}};return t[s](r,r.exports,i),r.exports}return i(85454)})()));`;

const run = (code: string): unknown => new Function(`${code}return out`)();

Deno.test("webpack: modules refer to each other by position", () => {
  const code = bundle(
    "{50792:t=>{t.exports=2},85454:(t,e,i)=>{const s=i(50792);t.exports=s+i(1071).plus(s)},1071(t,e,i){e.plus=t=>t+i(50792)}}",
  );
  const listed = listModules(code);
  assert.match(listed, /var t=\[t=>\{t\.exports=2\},\(t,e,i\)=>.*i\(0\).*i\(2\).*,function\(t,e,i\)\{.*i\(0\)\}\],e/);
  assert.match(listed, /return i\(1\)\}/);
  assert.equal(run(listed), 6);
  assert.equal(run(listed), run(code));
});

Deno.test("webpack: numbers that are no module id stay unchanged", () => {
  const kept = [
    "t.exports=f(50792)",
    "t.exports=i(5079)",
    "t.exports=i.x(50792)",
    "t.exports=(i=>i(50792))(f)",
    "t.exports=function i(){return i(50792)}",
    "t.exports=function(){var i=f;return i(50792)}",
    "t.exports=50792",
  ];
  for (const body of kept) {
    const listed = listModules(bundle(`{50792:t=>{},85454:(t,e,i)=>{${body}}}`));
    assert.ok(listed.includes(`(t,e,i)=>{${body}}]`), listed);
  }
});

Deno.test("webpack: other code is refused", () => {
  for (const code of ["alert({})", "alert({1:2})", "alert({a(){}})"]) {
    assert.throws(() => listModules(code), /no table of webpack's modules/, code);
  }
});
