// deno-lint-ignore no-import-prefix
import "npm:typescript@5.9.3/lib/tsc.js";
