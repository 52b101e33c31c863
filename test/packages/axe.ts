// deno-lint-ignore no-import-prefix
import axe from "npm:axe-core@4.14.1";

/** The source of axe, which checks a page for barriers from inside. */
export const AXE: string = axe.source;
