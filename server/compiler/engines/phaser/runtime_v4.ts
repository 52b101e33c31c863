/** Builds the runtime of Phaser 4, apart from Phaser 3: few games import it, and its package is 20 MB to download. */
import { buildPhaser } from "./runtime.ts";

export const buildRuntime = () =>
  buildPhaser({
    library: "phaser4",
    hash: "66348b1b5141e49b7d5ebbe688cddcb502eab1cb00f21c538686a5b2c5abe4de",
    specifiers: ["phaser@4"],
  });
