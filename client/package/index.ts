/** `atrium-client`. types/index.d.ts declares what it exports. */
import { clientOf } from "./client.ts";
import { ROUTES } from "./routes.ts";
import type { ClientOptions } from "./types/index.d.ts";

export { AtriumError } from "./client.ts";
export const createClient = (options: ClientOptions) => clientOf(ROUTES, options);
