/** The place of the generated types: `deno task pack` replaces this file by the types of every procedure. */
// deno-lint-ignore no-empty-interface -- see above
export interface Procedures {}
