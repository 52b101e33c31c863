/** What a team has after some weeks, for pictures of the console. */
import type { TestServer } from "../stage/harness.ts";

export async function fill(_server: TestServer): Promise<void> {
}
