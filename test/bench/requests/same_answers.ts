import { deepStrictEqual } from "node:assert/strict";
import { z } from "zod";
import type { Order } from "../measure/load.ts";
import type { Work } from "./works.ts";

/** Keys that differ in each answer to a write. */
const OWN = ["id", "name", "created_at", "updated_at", "lock_version"];

async function answer(order: Order, word: string): Promise<{ status: number; content: unknown }> {
  const { method, url, headers, body, ids, lines } = order;
  const line = lines ? (await Deno.readTextFile(lines)).split("\n", 1)[0] ?? "" : "";
  const response = await fetch(url.replace("{id}", `${ids?.first}`).replace("{line}", line), {
    method,
    ...headers ? { headers } : {},
    ...body ? { body: body.replaceAll("{unique}", word) } : {},
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") ?? false;
  return { status: response.status, content: isJson ? JSON.parse(text) : text };
}

/** The envelope of a tRPC answer. */
const Wrapped = z.object({ result: z.object({ data: z.object({ json: z.unknown() }) }) });

function unwrapped(content: unknown): unknown {
  const { success, data } = Wrapped.safeParse(content);
  return success ? data.result.data.json : content;
}

function withoutOwn(content: unknown, written: boolean): unknown {
  if (!written || typeof content !== "object" || content === null) return content;
  return Object.fromEntries(Object.entries(content).filter(([key]) => !OWN.includes(key)));
}

/**
 * Sends one request to every subject and compares the answers: a ratio between servers that do different work would mean
 * nothing.
 *
 * @throws {Error} with the name of the work, if an answer differs from ours
 */
export async function checkSameAnswers({ name, ours, others }: Work): Promise<void> {
  const written = ours.method !== "GET";
  const word = crypto.randomUUID();
  const orders = [ours, ...others.map(({ order }) => order)];
  const [expected, ...answers] = await Promise.all(orders.map((order) => answer(order, word)));
  if (expected === undefined || expected.status >= 300) throw new Error(`${name}: answered with ${expected?.status}`);
  for (const { status, content } of answers) {
    deepStrictEqual(
      { status, content: withoutOwn(content, written) },
      { status: expected.status, content: withoutOwn(unwrapped(expected.content), written) },
      `${name}: the two do not give the same answer`,
    );
  }
}
