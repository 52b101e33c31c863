/** The runner's former address. */
import "./run/run.ts";
