import assert from "node:assert/strict";
import { changesOf, type Form, sentOf } from "./app_settings.ts";

const FORM: Form = {
  name: "Board",
  url_code: "board",
  description: "",
  prompt: "Be brief",
  department_id: null,
  public: false,
  active: true,
  dashboard_widget: false,
  placed: { show_in_module: null, position: 0, embed_width: null, embed_height: null },
};

Deno.test("settings of an app: only what was changed is sent, an emptied text as null", () => {
  assert.deepEqual(changesOf(FORM, FORM), {});
  const placed = { ...FORM.placed, position: 2 };
  const changes = changesOf({ ...FORM, public: true, prompt: "", placed }, FORM);
  assert.deepEqual(changes, { public: true, prompt: "", placed });
  assert.deepEqual(sentOf(changes), { public: true, prompt: null, ...placed });
});
