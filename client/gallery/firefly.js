// Fly a firefly over a meadow. Sparks refill its light, moths drain it. Shapes are drawn on canvas textures, so the
// game loads no images.
const dusk = { sky: ["#35305f", "#a05c80", "#f0a47c"], far: "#57416f", near: "#2c2350", moth: 0x21173a };
const midnight = { sky: ["#060a1c", "#13204a", "#2c3c73"], far: "#0f1838", near: "#070c20", moth: 0xaaa6c9 };
const dark = matchMedia("(prefers-color-scheme: dark)");

document.head.insertAdjacentHTML(
  "beforeend",
  `<style>
:root { color-scheme: dark }
html, body, #platform-app { height: 100%; margin: 0; overflow: hidden; touch-action: none; background: #141232 }
.hud { position: fixed; inset: 0; display: grid; grid-template-rows: auto 1fr; pointer-events: none; color: #fff;
  font: 600 1.1rem/1.35 ui-rounded, system-ui, sans-serif; user-select: none; text-shadow: 0 0 .6rem #0009 }
.top { display: flex; gap: 1rem; align-items: center; padding: 1rem 1.25rem; font-variant-numeric: tabular-nums }
meter { flex: 1; max-width: 22rem; height: .6rem; border-radius: 1rem; overflow: hidden; background: #fff3; border: 0 }
meter::-webkit-meter-bar { background: #fff3; border: 0; border-radius: 1rem; height: .6rem }
meter::-webkit-meter-optimum-value, meter::-webkit-meter-suboptimum-value, meter::-webkit-meter-even-less-good-value {
  background: #ffe28a; border-radius: 1rem }
meter::-moz-meter-bar { background: #ffe28a }
.best { margin-left: auto }
.card { place-self: center; text-align: center; padding: 1.5rem; max-width: 21rem }
.card[hidden] { display: none }
h1 { font-weight: 300; font-size: 3rem; letter-spacing: .04em; margin: 0 }
.card div { margin: .5rem 0 1.25rem }
button { pointer-events: auto; font: inherit; color: #2a1d00; background: #ffe28a; border: 0; border-radius: 2rem; padding: .6rem 1.7rem; cursor: pointer }
button:focus-visible { outline: 3px solid #fff; outline-offset: 3px }
</style>`,
);
document.body.insertAdjacentHTML(
  "beforeend",
  `<div class="hud"><div class="top"><span class="count">0 sparks</span>
<meter min="0" max="1" value="1" aria-label="Light"></meter><span class="best"></span></div>
<section class="card"><h1>Firefly</h1><div role="status">Your light fades. Fly with the arrow keys or a finger, gather sparks, mind the moths.</div>
<button disabled>Fly</button></section></div>`,
);
const one = (selector) => document.querySelector(selector);
let best = Number(localStorage.getItem("firefly") ?? 0);

class Meadow extends Phaser.Scene {
  create() {
    this.paintTextures();
    this.sky = this.add.image(0, 0, "glow").setOrigin(0);
    this.trail = this.add.particles(0, 0, "glow", {
      speed: { min: 5, max: 25 },
      lifespan: 900,
      scale: { start: 0.16, end: 0 },
      alpha: { start: 0.7, end: 0 },
      tint: 0xffd76a,
      blendMode: "ADD",
      frequency: 35,
      emitting: false,
    });
    this.burst = this.add.particles(0, 0, "glow", {
      speed: { min: 40, max: 170 },
      lifespan: 600,
      scale: { start: 0.2, end: 0 },
      tint: 0xbfffc9,
      blendMode: "ADD",
      emitting: false,
    });
    this.sparks = this.add.group();
    this.moths = this.add.group();
    this.halo = this.add.image(0, 0, "glow").setBlendMode("ADD").setTint(0xffdf8e);
    this.body = this.add.image(0, 0, "glow").setScale(0.3).setTint(0xfff7da);
    this.grass = this.add.image(0, 0, "glow").setOrigin(0);
    this.keys = this.input.keyboard.addKeys("UP,DOWN,LEFT,RIGHT,W,A,S,D");
    this.input.keyboard.on("keydown", ({ code }) => {
      if (/^(Space|Enter|Arrow)/.test(code) && this.time.now > this.rested) this.begin();
    });
    this.input.mouse.disableContextMenu();
    this.scale.on("resize", this.paintMeadow, this);
    dark.addEventListener("change", () => this.paintMeadow());
    one("button").disabled = false;
    one("button").addEventListener("click", () => this.begin());
    this.rested = this.score = 0;
    this.light = 1;
    this.flying = false;
    this.paintMeadow();
    this.place = new Phaser.Math.Vector2(this.scale.width / 2, this.scale.height * 0.3);
    this.drift = new Phaser.Math.Vector2();
    for (let i = 0; i < 6; i++) this.addSpark();
  }

  paintTextures() {
    const glow = this.textures.createCanvas("glow", 128, 128);
    const gradient = glow.context.createRadialGradient(64, 64, 0, 64, 64, 64);
    for (const [stop, alpha] of [[0, 1], [0.2, 0.6], [0.5, 0.16], [1, 0]]) {
      gradient.addColorStop(stop, `rgba(255,255,255,${alpha})`);
    }
    glow.context.fillStyle = gradient;
    glow.context.fillRect(0, 0, 128, 128);
    glow.refresh();
    const moth = this.make.graphics({}, false);
    moth.fillStyle(0xffffff).fillTriangle(26, 18, 2, 2, 6, 26).fillTriangle(26, 18, 50, 2, 46, 26).fillEllipse(
      26,
      20,
      9,
      24,
    );
    moth.fillStyle(0xff6a5e).fillCircle(23, 11, 1.8).fillCircle(29, 11, 1.8);
    moth.generateTexture("moth", 52, 34).destroy();
  }

  /** Draws a still layer into a texture as wide as the page. It runs again when the page changes its size. */
  paint(image, key, height, draw) {
    const { width } = this.scale;
    if (this.textures.exists(key)) this.textures.remove(key);
    const texture = this.textures.createCanvas(key, width, height);
    const { context } = texture;
    const disc = (color, x, y, across, down = across) => {
      context.fillStyle = color;
      context.beginPath();
      context.ellipse(x, y, across, down, 0, 0, 2 * Math.PI);
      context.fill();
    };
    draw(context, disc, width, height);
    texture.refresh();
    image.setTexture(key).setY(this.scale.height - height);
  }

  paintMeadow() {
    const look = dark.matches ? midnight : dusk;
    const random = new Phaser.Math.RandomDataGenerator(["meadow"]);
    this.paint(this.sky, "sky", this.scale.height, (context, disc, width, height) => {
      const gradient = context.createLinearGradient(0, 0, 0, height);
      look.sky.forEach((color, index) => gradient.addColorStop(index / 2, color));
      context.fillStyle = gradient;
      context.fillRect(0, 0, width, height);
      for (let i = 0; i < 70; i++) {
        const [x, y] = [random.frac() * width, random.frac() ** 2 * height * 0.6];
        disc(`rgb(255 255 255 / ${random.realInRange(0.1, 0.7)})`, x, y, random.realInRange(0.5, 1.4));
      }
      for (const [radius, alpha] of [[60, 0.08], [30, 0.9]]) {
        disc(`rgb(255 243 214 / ${alpha})`, width * 0.82, height * 0.2, radius);
      }
      disc(look.far, width * 0.2, height, width * 0.55, height * 0.15);
      disc(look.far, width * 0.85, height, width * 0.5, height * 0.2);
    });
    this.paint(this.grass, "grass", 100, (context, disc, width, height) => {
      context.fillStyle = look.near;
      context.fillRect(0, height - 18, width, 18);
      for (let x = -10; x < width + 10; x += 7) {
        const [tall, bend] = [random.realInRange(25, 90), random.realInRange(-22, 22)];
        context.beginPath();
        context.moveTo(x - 4, height);
        context.lineTo(x + bend, height - tall);
        context.lineTo(x + 5, height);
        context.fill();
        if (tall > 84) disc(look.near, x + bend, height - tall, 5);
      }
    });
  }

  begin() {
    if (this.flying) return;
    this.flying = true;
    this.light = 1;
    this.score = 0;
    this.hour = 0;
    this.moths.clear(true, true);
    this.trail.start();
    one(".card").hidden = true;
    one("button").blur();
  }

  end() {
    this.flying = false;
    this.rested = this.time.now + 600; // ignores keys that are still held
    this.trail.stop();
    const record = this.score > best;
    best = Math.max(best, this.score);
    localStorage.setItem("firefly", best);
    one("h1").textContent = record ? "Brightest yet" : "Night falls";
    one("[role=status]").textContent = `${this.score} ${
      this.score === 1 ? "spark" : "sparks"
    } before your light went out.`;
    one("button").textContent = "Fly again";
    one(".best").textContent = `Best ${best}`;
    one(".card").hidden = false;
  }

  addSpark() {
    const { width, height } = this.scale;
    const x = Phaser.Math.Between(30, width - 30);
    const y = Phaser.Math.Between(80, height - 110);
    const spark = this.add.image(x, y, "glow").setTint(0xa8ffb8).setBlendMode("ADD").setScale(0);
    this.tweens.add({ targets: spark, scale: 0.42, duration: 500, ease: "Back.Out" });
    this.tweens.add({
      targets: spark,
      y: y - 18,
      alpha: 0.6,
      duration: Phaser.Math.Between(900, 1600),
      yoyo: true,
      repeat: -1,
      ease: "Sine.InOut",
    });
    this.sparks.add(spark);
  }

  addMoth() {
    const { width, height } = this.scale;
    const way = Math.random() < 0.5 ? 1 : -1;
    const moth = this.add.image(way > 0 ? -40 : width + 40, Phaser.Math.Between(80, height - 120), "moth").setTint(
      (dark.matches ? midnight : dusk).moth,
    );
    moth.setData({ way, line: moth.y, pace: Phaser.Math.Between(70, 110) + this.hour * 1.5, beat: Math.random() * 6 });
    this.moths.add(moth);
  }

  update(now, delta) {
    const dt = Math.min(delta, 500) / 1000;
    // Steps of at most 0.04 s keep the game the same on a slow machine, which only draws fewer frames.
    for (let left = dt; this.flying && left > 0; left -= 0.04) this.fly(Math.min(left, 0.04));
    if (this.flying) this.hour += dt;
    else this.place.y += Math.sin(now / 500) * 0.25;
    for (const moth of this.moths.getChildren().slice()) {
      const { way, line, pace, beat } = moth.data.values;
      moth.x += way * pace * dt;
      moth.y = line + Math.sin(now / 450 + beat) * 45;
      moth.scaleX = 0.65 + Math.sin(now / 60 + beat) * 0.35;
      if (moth.x < -60 || moth.x > this.scale.width + 60) moth.destroy();
    }
    this.body.setPosition(this.place.x, this.place.y);
    const flicker = 1 + Math.sin(now / 90) * 0.04;
    this.halo.setPosition(this.place.x, this.place.y).setScale((0.5 + this.light * 2.4) * flicker).setAlpha(
      0.25 + this.light * 0.55,
    );
    this.trail.setPosition(this.place.x, this.place.y);
    one("meter").value = this.light;
    one(".count").textContent = `${this.score} ${this.score === 1 ? "spark" : "sparks"}`;
  }

  /** Advances the flight by `dt` seconds: steering, moths, sparks, light. */
  fly(dt) {
    const { UP, DOWN, LEFT, RIGHT, W, A, S, D } = this.keys;
    const pull = new Phaser.Math.Vector2(
      Number(RIGHT.isDown || D.isDown) - Number(LEFT.isDown || A.isDown),
      Number(DOWN.isDown || S.isDown) - Number(UP.isDown || W.isDown),
    );
    const pointer = this.input.activePointer;
    if (pointer.isDown) pull.set(pointer.worldX - this.place.x, pointer.worldY - this.place.y).scale(1 / 60).limit(1);
    this.drift.add(pull.limit(1).scale(1500 * dt)).scale(Math.exp(-3.6 * dt));
    this.place.add(this.drift.clone().scale(dt));
    this.place.x = Phaser.Math.Clamp(this.place.x, 12, this.scale.width - 12);
    this.place.y = Phaser.Math.Clamp(this.place.y, 60, this.scale.height - 40);

    if (Math.random() < dt * (0.25 + this.hour / 60)) this.addMoth();
    for (const spark of this.sparks.getChildren().slice()) {
      if (Phaser.Math.Distance.BetweenPoints(spark, this.place) < 34) this.gather(spark);
    }
    for (const moth of this.moths.getChildren().slice()) {
      if (Phaser.Math.Distance.BetweenPoints(moth, this.place) < 30) this.bump(moth);
    }
    this.light -= dt * (0.075 + this.hour * 0.0012);
    if (this.light <= 0) this.end();
  }

  gather(spark) {
    this.burst.explode(14, spark.x, spark.y);
    this.tweens.killTweensOf(spark);
    spark.destroy();
    this.score++;
    this.light = Math.min(1, this.light + 0.14);
    this.addSpark();
  }

  bump(moth) {
    this.burst.explode(6, moth.x, moth.y);
    moth.destroy();
    this.light -= 0.28;
    this.drift.scale(-0.6);
    this.cameras.main.shake(180, 0.008);
  }
}

new Phaser.Game({
  parent: "platform-app",
  scale: { mode: Phaser.Scale.RESIZE },
  audio: { noAudio: true },
  banner: false,
  antialiasGL: false,
  fps: { smoothStep: false }, // smoothing would treat the long frames of a slow machine as outliers
  scene: Meadow,
  callbacks: {
    postBoot({ canvas }) {
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", "A firefly over a meadow");
    },
  },
});
if (best) one(".best").textContent = `Best ${best}`;
