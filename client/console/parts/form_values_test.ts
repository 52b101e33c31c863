import { deepEqual } from "node:assert/strict";
import { following, typedIn, unsavedIn } from "./form_values.ts";

const saved = { name: "Acme", host: "" };

Deno.test("form values: what differs from the saved values was typed", () => {
  deepEqual(typedIn({ name: "Acme", host: "acme.example.com" }, saved), { host: "acme.example.com" });
  deepEqual(typedIn(saved, saved), {});
  deepEqual(unsavedIn({ name: "Acme", host: "acme.example.com" }, saved), { host: "acme.example.com" });
  deepEqual(unsavedIn(saved, saved), undefined);
});

Deno.test("form values: a form follows what is saved, except where something was typed", () => {
  const newer = { name: "Acme Ltd", host: "new.example.com" };
  deepEqual(following(saved, saved, newer), newer);
  deepEqual(following({ ...saved, name: "Typed" }, saved, newer), { name: "Typed", host: "new.example.com" });
});

Deno.test("form values: what was sent gives way to what the server has made of it; what was typed since stays", () => {
  const sent = { name: " Acme Ltd " };
  const after = { ...saved, name: "Acme Ltd" };
  deepEqual(following({ ...saved, ...sent }, saved, after, sent), after);
  const since = { name: "Acme Limited", host: "acme.example.com" };
  deepEqual(following(since, saved, after, sent), since);
  deepEqual(following(saved, saved, after, sent), saved, "the value before, typed again");
});
