/** The typed client with the session of the browser. */
import { sessionFetch } from "./connection.svelte.ts";
import { type ClientError, createClient, isClientError } from "../mod.ts";
import { viewedAs } from "./viewing.svelte.ts";

export const api = createClient({ url: location.origin, fetch: viewedFetch });

/** The client of the signed-in user, also while the console is viewed as another person. */
export const own_api = createClient({ url: location.origin, fetch: sessionFetch });

/** A request with the cookie of the session, as the person as whom the console is viewed. */
export function viewedFetch(input: URL | RequestInfo, init?: RequestInit): Promise<Response> {
  const viewed = viewedAs();
  if (!viewed) return sessionFetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set("x-view-as", String(viewed.id));
  return sessionFetch(input, { ...init, headers });
}

/** A refusal of a call that is not made through the typed client. */
class Refused extends Error {
  readonly status: number;

  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

/** How many entries a list has on all of its pages. @param path such as `/account/teams.json` */
export async function totalOf(path: string, query: Record<string, string> = {}): Promise<number> {
  const response = await viewedFetch(`${path}?${new URLSearchParams({ ...query, per_page: "1" })}`).catch(() => {
    throw new Refused(NO_ANSWER, 0);
  });
  // An unread body keeps the connection.
  const body = await response.text();
  if (!response.ok) throw new Refused(messageIn(body) ?? `The server answered ${response.status}`, response.status);
  return Number(response.headers.get("x-total-count") ?? 0);
}

function messageIn(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body);
    return typeof error === "string" ? error : undefined;
  } catch {
    return undefined;
  }
}

/** What a person can be told of a failed call. */
export interface Trouble {
  message: string;
  /** Messages by field; empty where the failure concerns no field. */
  fields: Record<string, string[]>;
  /** 0 where the server did not answer. */
  status: number;
}

/** What a person is told while the server does not answer. */
export const NO_ANSWER = "The server does not answer. What you typed is kept.";

export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refused) return { message: error.message, fields: {}, status: error.status };
  if (!isClientError(error)) return { message: String(error), fields: {}, status: 0 };
  const { data } = error;
  if (!data) return { message: NO_ANSWER, fields: {}, status: 0 };
  const fields = fieldsOf(error);
  const request = data.httpStatus >= 500 ? requestOf(error) : null;
  if (request !== null) return { message: namingRequest(error.message, request), fields, status: data.httpStatus };
  const listed = Object.entries(fields).map(([field, [message]]) => `${field} ${message}`);
  return { message: listed.join("; ") || error.message, fields, status: data.httpStatus };
}

function fieldsOf({ data }: ClientError): Record<string, string[]> {
  if (data?.httpStatus !== 422) return {};
  const lists = Object.entries(data.body ?? {}).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  return Object.fromEntries(lists);
}

/** The id under which the server's log has the lines of a failed call. */
function requestOf({ meta }: ClientError): string | null {
  return meta?.response instanceof Response ? meta.response.headers.get("x-request-id") : null;
}

const namingRequest = (message: string, id: string): string => `${message} (request ${id})`;

/** A message that names its request: the message, and the id. */
export function readRequest(message: string): { words: string; request_id: string | undefined } {
  const [, words = message, request_id] = /^(.*) \(request ([\w.:-]{1,64})\)$/s.exec(message) ?? [];
  return { words, request_id };
}
