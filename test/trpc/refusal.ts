import assert from "node:assert/strict";
import { type ClientError, isClientError } from "../../client/mod.ts";

/** Returns the refusal that a call ends with. @throws {Error} if the call succeeds */
export async function refusalOf(
  call: Promise<unknown>,
): Promise<NonNullable<ClientError["data"]> & { message: string }> {
  try {
    await call;
  } catch (error) {
    assert.ok(isClientError(error) && error.data, String(error));
    return { ...error.data, message: error.message };
  }
  throw new Error("the call was not refused");
}
