/** What is said of a step's keys. */
import { equal } from "node:assert/strict";
import { saidOf } from "./label_of.ts";

Deno.test("faults of steps name the key that they are about", () => {
  const of = (path: (string | number)[], text: string, severity: "error" | "todo" = "error") =>
    saidOf({ path, text, severity }, [0]);
  equal(of([0, "data"], "is not used by get"), "Data is not used by get");
  equal(of([0, "db_code"], "is not the code of a database"), "Database is not the code of a database");
  equal(of([0, "match", "sku"], "{order.sku} is not there"), "Match: {order.sku} is not there");
  equal(of([0, "db_code"], "Choose a database", "todo"), "Choose a database");
  equal(of([0], "is not a step"), "is not a step");
});
