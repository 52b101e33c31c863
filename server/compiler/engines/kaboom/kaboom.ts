/** Games for Kaboom and its successor Kaplay, in JavaScript or TypeScript. */
import { AUTHOR, type Compiled } from "../engine.ts";

export { sample } from "./sample.ts";

/** Functions that games call without an import, such as `add`, are globals that Kaboom defines when it starts. */
export const compile = (source: string): Compiled => ({
  code: `import ${JSON.stringify(AUTHOR)};`,
  author: { code: source, loaders: ["ts", "js"] },
  globals: { kaboom: ["kaboom", "default"], kaplay: ["kaplay", "default"] },
  css: "",
  warnings: [],
  locate: (place) => place,
});
