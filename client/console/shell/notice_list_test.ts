import assert from "node:assert/strict";
import { type Notice, withNotice } from "./notice_list.ts";

const notice = (id: number, text: string, kind: Notice["kind"] = "done"): Notice => ({
  id,
  text,
  kind,
  undo: undefined,
  verb: "Undo",
  link: undefined,
});

Deno.test("notices: equal ones are shown once, and at most three", () => {
  const idsOf = (list: readonly Notice[]) => list.map(({ id }) => id);
  const two = withNotice([notice(1, "Saved"), notice(2, "Saved", "failed")], notice(3, "Saved"));
  assert.deepEqual(idsOf(two), [2, 3]);
  assert.deepEqual(idsOf([notice(4, "a"), notice(5, "b")].reduce(withNotice, two)), [3, 4, 5]);
});
