/** The typed client with the session of the browser. */
import { sessionFetch } from "./connection.svelte.ts";
import { type ClientError, createClient, isClientError } from "../mod.ts";

export const api = createClient({ url: location.origin, fetch: sessionFetch });

/** What a person can be told of a failed call. */
export interface Trouble {
  message: string;
  /** Messages by field; empty where the failure concerns no field. */
  fields: Record<string, string[]>;
  /** 0 where the server did not answer. */
  status: number;
}

export function troubleOf(error: unknown): Trouble {
  if (!isClientError(error)) return { message: String(error), fields: {}, status: 0 };
  const { data } = error;
  if (!data) return { message: "The server does not answer. What you typed is kept.", fields: {}, status: 0 };
  const fields = fieldsOf(error);
  const listed = Object.entries(fields).map(([field, [message]]) => `${field} ${message}`);
  return { message: listed.join("; ") || error.message, fields, status: data.httpStatus };
}

function fieldsOf({ data }: ClientError): Record<string, string[]> {
  if (data?.httpStatus !== 422) return {};
  const lists = Object.entries(data.body ?? {}).filter((entry): entry is [string, string[]] => Array.isArray(entry[1]));
  return Object.fromEntries(lists);
}
