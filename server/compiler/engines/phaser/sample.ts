/** A small Phaser app that uses most of the compiler (`EngineModule.sample`). */
export const sample = `import Phaser from "phaser";
class Level extends Phaser.Scene {
  private score = 0;
  create() {
    const ball = this.add.circle(160, 40, 12, 0xffcc00);
    this.physics.add.existing(ball);
    this.input.on("pointerdown", () => this.add.text(8, 8, String(++this.score)));
  }
}
new Phaser.Game({ width: 320, height: 240, physics: { default: "arcade" }, scene: Level });
`;
