/** Ids of what a step creates outside of its run, so that a replay finds it again. */
import { createHash } from "node:crypto";
import { lowestId } from "../../database/uuid_v7.ts";
import type { RunHead } from "../run/model.ts";

/**
 * A UUID of version 7 that derives from the run and the place. Its time is when this part of the run began, because what
 * is created is kept by that time.
 */
export function derivedId(
  { id, made_at, woken_at }: Pick<RunHead, "id" | "made_at" | "woken_at">,
  place: string,
): string {
  const hash = createHash("sha256").update(`${id}:${place}`).digest("hex");
  const variant = "89ab".charAt(Number.parseInt(hash.charAt(3), 16) % 4);
  return `${lowestId(woken_at ?? made_at).slice(0, 13)}-7${hash.slice(0, 3)}-${variant}${hash.slice(4, 7)}-${
    hash.slice(8, 20)
  }`;
}
