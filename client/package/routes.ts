/** `deno task pack` replaces this by the routes of all procedures, one a line. */
export const ROUTES: string = "";
