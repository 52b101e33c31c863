/** Subscribers of server-sent events. They record the events in order. */
import assert from "node:assert/strict";
import type { TestServer } from "./harness.ts";

export interface Told {
  /** Undefined for an error event. */
  id: number | undefined;
  event: string;
  // deno-lint-ignore no-explicit-any -- a test states what it expects
  data: any;
}

export interface Follower extends AsyncDisposable {
  status: number;
  headers: Headers;
  /** The events so far. */
  told: Told[];
  /** Resolves when there are this many events. @throws {AssertionError} if the stream ends before */
  tells(count: number): Promise<Told[]>;
  /** Resolves when the server ends the stream. */
  ended: Promise<void>;
}

/** @param headers such as `authorization`, `last-event-id`, `x-app-token` */
export async function follow(server: TestServer, path: string, headers: Record<string, string>): Promise<Follower> {
  const left = new AbortController();
  const response = await server.handler(
    new Request(`${server.base_url}${path}`, { headers, signal: left.signal }),
  );
  const told: Told[] = [];
  let more = Promise.withResolvers<void>();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let over = false;
  const read = async () => {
    let rest = "";
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
      const blocks = (rest + next.value).split("\n\n");
      rest = blocks.pop() ?? "";
      told.push(...blocks.flatMap((block) => eventIn(block) ?? []));
      more.resolve();
      more = Promise.withResolvers();
    }
  };
  const ended = read().catch(() => {}).then(() => {
    over = true;
    more.resolve();
  });
  return {
    status: response.status,
    headers: response.headers,
    told,
    ended,
    async tells(count) {
      while (told.length < count && !over) await more.promise;
      assert.ok(told.length >= count, `the stream ended after ${JSON.stringify(told)}`);
      return told;
    },
    async [Symbol.asyncDispose]() {
      left.abort();
      await reader?.cancel().catch(() => {});
      await ended;
    },
  };
}

function eventIn(block: string): Told | undefined {
  const lines = new Map(
    block.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(": ");
      return [line.slice(0, colon), line.slice(colon + 2)];
    }),
  );
  const event = lines.get("event");
  if (event === undefined) return undefined;
  const id = lines.get("id");
  return { id: id === undefined ? undefined : Number(id), event, data: JSON.parse(lines.get("data") ?? "null") };
}
