/** A small Kaboom app that uses most of the compiler (`EngineModule.sample`). */
export const sample = `import kaboom from "kaboom";
kaboom({ width: 320, height: 240, background: [20, 20, 40] });
setGravity(1600);
const player: GameObj = add([rect(24, 24), pos(80, 40), area(), body(), color(255, 200, 0), "player"]);
add([rect(width(), 24), pos(0, height() - 24), area(), body({ isStatic: true })]);
onKeyPress("space", () => player.isGrounded() && player.jump());
`;
