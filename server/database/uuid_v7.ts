/** UUIDs. New ones are of version 7: their order is the order of creation, even within one millisecond of one process. */
import { v7 } from "uuid";

/** The API writes them in small letters. Clients may write them in capitals, as Swift and .NET do. */
export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export const newUuid = (): string => v7();

/** The time that the id contains, in milliseconds since 1970. */
export const createdAt = (id: string): number => Number.parseInt(id.slice(0, 13).replace("-", ""), 16);

/** The lowest id of a millisecond, counted since 1970. */
export function lowestId(ms: number): string {
  const hex = Math.max(0, Math.trunc(ms)).toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`;
}
