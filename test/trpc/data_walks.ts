/** Calls the procedures of databases and their records; a part of `walks`. */
import assert from "node:assert/strict";
import type { Client } from "../../client/mod.ts";

export const dataWalks: Record<string, (client: Client) => Promise<void>> = {
  async dbs({ dbs }) {
    const schema = { fields: { title: { type: "string", required: true }, pages: "integer" } };
    const db = await dbs.create.mutate({ db: { name: "My books", schema } });
    assert.deepEqual([db.code, db.schema, db.public_methods, db.reindexing], ["my_books", schema, {}, null]);
    assert.deepEqual((await dbs.list.query({ q: "BOOK" })).map(({ code }) => code), ["my_books"]);
    const indexed = { ...schema, indexes: { idx_int_1: "pages" } };
    const changed = await dbs.update.mutate({ db_code: db.code, db: { schema: indexed, lock_version: 0 } });
    assert.deepEqual([changed.schema, changed.lock_version], [indexed, 1]);
    assert.deepEqual(await dbs.find.query({ db_code: db.code }), changed);
    const by = { db_code: db.code };
    assert.deepEqual(await dbs.mentions.query({ ...by, name: "title" }), []);
    assert.deepEqual(await dbs.uses.query(by), []);
    const view = await dbs.views.create.mutate({ ...by, view: { name: "Long", filter: { pages: { gt: 500 } } } });
    assert.deepEqual([view.shared, view.left_out], [false, []]);
    const with_id = { ...by, view_id: view.id };
    assert.equal((await dbs.views.update.mutate({ ...with_id, view: { shared: true } })).shared, true);
    assert.deepEqual(await dbs.views.list.query(by), [await dbs.views.find.query(with_id)]);
    assert.equal(await dbs.views.delete.mutate(with_id), undefined);
    assert.equal(await dbs.delete.mutate({ db_code: db.code }), undefined);
  },

  async records({ dbs, records }) {
    const schema = { fields: { title: "string", pages: "integer" }, indexes: { idx_int_1: "pages" } };
    const { code: db_code } = await dbs.create.mutate({ db: { name: "Shelf", schema } });
    const create = (data: Record<string, unknown>) => records.create.mutate({ db_code, record: { data } });
    const [thin, thick] = [await create({ title: "Thin", pages: 9 }), await create({ title: "Thick", pages: 900 })];
    assert.deepEqual([thin.table_name, thin.data], [null, { title: "Thin", pages: 9 }]);
    const { id } = thick;
    const many = await records.list.query({ db_code, filter: { pages: { gt: 9, in: [9, 900] } }, sort: "-pages" });
    assert.deepEqual(many, [thick]);
    assert.deepEqual((await records.list.query({ db_code, after: id })).map(({ id }) => id), [thin.id]);
    assert.deepEqual((await records.search.query({ db_code, q: "HI", sort: "pages" })).map(({ title }) => title), [
      "Thin",
      "Thick",
    ]);
    assert.deepEqual(await records.marks.query({ db_code, sort: "-pages" }), [], "a short list has none");
    const changed = await records.update.mutate({ db_code, id, record: { data: { title: undefined, pages: null } } });
    assert.deepEqual(changed.data, { title: "Thick", pages: null });
    assert.deepEqual(await records.find.query({ db_code, id }), changed);
    const [change, creation] = await records.history.query({ db_code, id });
    assert.deepEqual([change?.before, change?.after, creation?.action], [{ pages: 900 }, { pages: null }, "create"]);
    const [made] = await records.batch.mutate({
      db_code,
      operations: [{ action: "create", record: { data: { title: "Thinner" } } }, { action: "delete", id: thin.id }],
    });
    assert.ok(made && "data" in made && made.data.title === "Thinner");
    assert.equal(await records.delete.mutate({ db_code, id }), undefined);
    assert.deepEqual((await records.list.query({ db_code })).map(({ id }) => id), [made.id]);
  },

  async public_methods({ dbs, records }) {
    const { code: db_code } = await dbs.create.mutate({
      db: {
        name: "Guests",
        schema: { fields: { title: "string" } },
        public_methods: { list: {}, create: { default_values: { title: "Here" } }, update: {}, delete: {} },
      },
    });
    const visitor = crypto.randomUUID();
    assert.deepEqual(await records.try_public.mutate({ db_code, visitor, method: "list" }), { status: 200, body: [] });
    const { list, create, update, delete: remove } = records.public;
    const made = await create.mutate({ db_code, data: { title: undefined } });
    const changed = await update.mutate({ db_code, id: made.id, data: { title: "There" } });
    assert.deepEqual([made.title, changed.title], ["Here", "There"]);
    assert.deepEqual(await list.query({ db_code, filter: { title: "There" } }), [changed]);
    assert.deepEqual(await remove.mutate({ db_code, id: made.id }), { id: made.id });
    assert.deepEqual(await list.query({ db_code }), []);
  },
};
