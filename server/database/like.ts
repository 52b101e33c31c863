import { fold } from "../input/shapes.ts";

/** The `like` pattern of folded texts that contain `text`. Its wildcards are escaped. */
export const containing = (text: string) => `%${fold(text).replace(/[\\%_]/g, "\\$&")}%`;
