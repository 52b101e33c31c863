import assert from "node:assert/strict";
import { invalid, notFound, Refusal, unavailable } from "../../errors.ts";
import { STALE, withDb } from "./statement.ts";
import type { Databases, KnownDb } from "../definition/known_db.ts";

const dbOf = (lock_version: number): KnownDb => ({
  id: 1,
  account_id: 1,
  department_id: null,
  code: "db",
  tables: new Map(),
  public_methods: {},
  public_write_limit: 60,
  live: false,
  lock_version,
});

/** A memory that is one version behind until it is told to forget. */
function behind(): Databases & { asked: number } {
  let remembered = dbOf(0);
  const memory = {
    asked: 0,
    find: () => Promise.resolve(remembered),
    isCurrent: (db: KnownDb) => {
      memory.asked++;
      return Promise.resolve(db.lock_version === 1);
    },
    forget: () => void (remembered = dbOf(1)),
  };
  return memory;
}

const missing = () => notFound("Database");
const refusedBefore = (lock_version: number, refusal: Refusal) => (db: KnownDb) =>
  db.lock_version < lock_version ? Promise.reject(refusal) : Promise.resolve(db.lock_version);

Deno.test("statement: a write that an old definition refuses is tried again with the new one", async () => {
  assert.equal(await withDb(behind(), 1, "db", missing, refusedBefore(1, invalid({ n: ["is not a field"] }))), 1);
});

Deno.test("statement: a write that the current definition refuses stays refused", async () => {
  const refusal = invalid({ n: ["is not a field"] });
  await assert.rejects(withDb(behind(), 1, "db", missing, refusedBefore(2, refusal)), refusal);
});

Deno.test("statement: other refusals and faults are not tried again", async () => {
  const dbs = behind();
  for (const error of [unavailable("The database is away"), new Refusal(429, "Slower"), new Error("a fault")]) {
    await assert.rejects(withDb(dbs, 1, "db", missing, () => Promise.reject(error)), error);
  }
  assert.equal(dbs.asked, 0);
});

Deno.test("statement: with a definition that changes each time the write gives up", async () => {
  await assert.rejects(withDb(behind(), 1, "db", missing, () => Promise.resolve(STALE)), /keeps changing/);
});
