/** Games for Kaboom and its successor Kaplay, in JavaScript or TypeScript. */
import { AUTHOR, type Compiled } from "../engine.ts";

export const sample = `import kaboom from "kaboom";
kaboom({ width: 320, height: 240, background: [20, 20, 40] });
setGravity(1600);
const player: GameObj = add([rect(24, 24), pos(80, 40), area(), body(), color(255, 200, 0), "player"]);
add([rect(width(), 24), pos(0, height() - 24), area(), body({ isStatic: true })]);
onKeyPress("space", () => player.isGrounded() && player.jump());
`;

/** Functions that games call without an import, such as `add`, are globals that Kaboom defines when it starts. */
export const compile = (source: string): Compiled => ({
  code: `import ${JSON.stringify(AUTHOR)};`,
  author: { code: source, loaders: ["ts", "js"] },
  globals: { kaboom: ["kaboom", "default"], kaplay: ["kaplay", "default"] },
  css: "",
  warnings: [],
  locate: (place) => place,
});
