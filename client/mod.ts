/**
 * The typed client: calls every procedure of the server, with the types of its input and output.
 *
 * @example
 * ```ts
 * const atrium = createClient({ url: "http://127.0.0.1:8000", token: "atr_…" });
 * const sales = await atrium.departments.create.mutate({ department: { name: "Sales" } });
 * await atrium.departments.update.mutate({ id: sales.id, department: { logo: file } });
 * ```
 */
import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  httpSubscriptionLink,
  type Operation,
  splitLink,
  TRPCClientError,
  type TRPCLink,
} from "@trpc/client";
import superjson from "superjson";
import type { AppRouter } from "../server/router.ts";
import { carriesFile, flatNames } from "./flat_names.ts";
import { serverAddress } from "./server_address.ts";

export interface ClientOptions {
  /** The server's base URL, without a path. */
  url: string;
  /** An API token. A function is called for each request. Without a token only public procedures answer. */
  token?: string | (() => string | Promise<string>);
  /** Further headers, such as `X-View-As`. A function is called for each request. Subscriptions do not carry them. */
  headers?: Record<string, string> | (() => Record<string, string> | Promise<Record<string, string>>);
  /**
   * Whether concurrent calls share one request; true by default. A request is answered when its slowest call is, so a call
   * that may take long is made with `{ context: { alone: true } }`.
   */
  batch?: boolean;
  fetch?: typeof globalThis.fetch;
}

export type Client = ReturnType<typeof createTRPCClient<AppRouter>>;

/** The error of a refused call. `data.body` is REST's body, such as `{ name: ["can't be blank"] }`. */
export type ClientError = TRPCClientError<AppRouter>;
export const isClientError = (error: unknown): error is ClientError => error instanceof TRPCClientError;

/** @throws {TypeError} if `url` is no address */
export function createClient({ url, token, headers: more = {}, batch = true, fetch }: ClientOptions): Client {
  const secretOf = async () => typeof token === "function" ? await token() : token;
  const headers = async () => {
    const secret = await secretOf();
    return { ...typeof more === "function" ? await more() : more, ...secret && { authorization: `Bearer ${secret}` } };
  };
  const connectionParams = async () => {
    const secret = await secretOf();
    return secret ? { token: secret } : {};
  };
  const options = { url: `${serverAddress(url)}/trpc`, headers, ...(fetch && { fetch }) };
  const plain = { ...options, transformer: superjson };
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }: Operation) => type === "subscription",
        // An EventSource cannot send headers.
        true: httpSubscriptionLink({ url: options.url, transformer: superjson, connectionParams }),
        false: splitLink({
          condition: ({ input }: Operation) => carriesFile(input),
          // JSON cannot contain a file, so a call with a file is sent as the form that REST also accepts.
          true: [asForm, httpLink(plain)],
          false: splitLink({
            condition: ({ context }: Operation) => !batch || context.alone === true,
            true: httpLink(plain),
            false: httpBatchLink({ ...plain, maxItems: 50, maxURLLength: 8_000 }),
          }),
        }),
      }),
    ],
  });
}

const asForm: TRPCLink<AppRouter> = () => ({ op, next }) => next({ ...op, input: toForm(op.input) });

/** Names the fields of `{ department: { name, logo } }` `department[name]` and `department[logo]`. */
function toForm(input: unknown): FormData {
  const form = new FormData();
  for (const [name, value] of flatNames(input)) form.append(name, value);
  return form;
}
