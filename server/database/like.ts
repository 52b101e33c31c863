import { fold } from "../input/shapes.ts";

/** The `like` pattern of texts that contain `text`. Its wildcards are escaped. */
export const within = (text: string) => `%${text.replace(/[\\%_]/g, "\\$&")}%`;

/** The `like` pattern of folded texts that contain `text`. */
export const containing = (text: string) => within(fold(text));
