/** The template of a data folder, held against what this PGlite's own `initdb` and the migrations make. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { Backend } from "../../../db/embedded/backend.ts";
import { openEmbedded } from "../../../db/embedded/embedded.ts";
import { openFolder } from "../../../db/embedded/folder.ts";
import { FORGET_UNUSED, makeDatabase, readTemplate, UNUSED_FOLDERS } from "../../../db/embedded/template.ts";
import { migrate } from "../../../db/migrate.ts";
import { pool } from "./embedded_stage.ts";

const IN_PUBLIC = (schema: string) => `${schema} = 'public'::regnamespace`;

/** Each selects one text. Object ids that initdb assigns, and what depends on the time, are left out. */
const ASPECTS: Record<string, string> = {
  functions: `
    select string_agg(concat_ws(' ', pronamespace::regnamespace, proname, prosrc, pg_get_function_identity_arguments(oid),
      prorettype::regtype, provolatile, proisstrict, proacl), e'\\n' order by oid, proname)
    from pg_proc where oid < 12000
  `,
  types: `
    select string_agg(concat_ws(' ', typname, typlen, typbyval, typinput, typoutput, typdefault), e'\\n' order by oid)
    from pg_type where oid < 12000
  `,
  operators: `
    select string_agg(concat_ws(' ', oprname, oprleft::regtype, oprright::regtype, oprcode), e'\\n' order by oid)
    from pg_operator
  `,
  own_functions: `
    select string_agg(pg_get_functiondef(oid), e'\\n' order by proname) from pg_proc where ${IN_PUBLIC("pronamespace")}
  `,
  relations: `
    select string_agg(
      concat_ws(' ', relnamespace::regnamespace, relname, relkind, relnatts, relacl, relpersistence, reloptions), e'\\n'
      order by relnamespace::regnamespace::text, relname)
    from pg_class where relkind <> 't' and relname not like 'pg_toast%'
  `,
  columns: `
    select string_agg(
      concat_ws(' ', attrelid::regclass, attnum, attname, format_type(atttypid, atttypmod), attnotnull, attidentity,
        attgenerated, attstorage, attcompression, attstattarget, attoptions, attcollation::regcollation,
        pg_get_expr(adbin, adrelid)), e'\\n' order by attrelid::regclass::text, attnum)
    from pg_attribute
    join pg_class on pg_class.oid = attrelid and ${IN_PUBLIC("relnamespace")}
    left join pg_attrdef on adrelid = attrelid and adnum = attnum
  `,
  indexes: `
    select string_agg(concat_ws(' ', pg_get_indexdef(indexrelid), indisvalid, indisclustered), e'\\n'
      order by pg_get_indexdef(indexrelid))
    from pg_index join pg_class on pg_class.oid = indrelid and ${IN_PUBLIC("relnamespace")}
  `,
  constraints: `
    select string_agg(concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid), convalidated), e'\\n'
      order by conrelid::regclass::text, conname)
    from pg_constraint where ${IN_PUBLIC("connamespace")}
  `,
  triggers: `
    select string_agg(concat_ws(' ', pg_get_triggerdef(oid), tgenabled), e'\\n' order by pg_get_triggerdef(oid))
    from pg_trigger where not tgisinternal
  `,
  sequences: `select string_agg(to_jsonb(pg_sequences)::text, e'\\n' order by sequencename) from pg_sequences`,
  comments: `
    select string_agg(concat_ws(' ', objoid::regclass, objsubid, description), e'\\n' order by objoid::regclass::text, objsubid)
    from pg_description where classoid = 'pg_class'::regclass and objoid::regclass::text not like 'pg_%'
  `,
  migrations: `select string_agg(concat_ws(' ', version, name), e'\\n' order by version) from migrations`,
  views: `
    select string_agg(concat_ws(' ', schemaname, viewname, definition), e'\\n' order by schemaname, viewname) from pg_views
  `,
  collations: `
    select string_agg(concat_ws(' ', collname, collprovider, collencoding, collcollate, collctype), e'\\n'
      order by collname, collencoding)
    from pg_collation
  `,
  languages: `select string_agg(lanname, ' ' order by lanname) from pg_language`,
  databases: `
    select string_agg(concat_ws(' ', datname, pg_encoding_to_char(encoding), datlocprovider::text, datcollate, datctype,
      datistemplate, datallowconn), e'\\n' order by datname)
    from pg_database
  `,
  roles: `select string_agg(concat_ws(' ', rolname, rolsuper, rolcanlogin), e'\\n' order by rolname) from pg_roles`,
  settings: `
    select string_agg(concat_ws(' ', name, setting), e'\\n' order by name)
    from pg_settings
    where name not in ('wal_segment_size', 'log_timezone', 'log_file_mode') and name not like 'plpgsql.%'

  `,
};

/** A database in memory, brought up to this version. */
async function upToDate(tarball: Uint8Array, ...first: string[]) {
  const embedded = await openEmbedded({ folder: null, load: tarball });
  const sql = pool(embedded);
  for (const statements of first) await sql.unsafe(statements).simple();
  const applied = await migrate(sql);
  return {
    sql,
    applied,
    async [Symbol.asyncDispose]() {
      await sql.end();
      await embedded.close();
    },
  };
}

/** A template is made anew before the migrations after it slow a first start down. */
const MOST_LATER_MIGRATIONS = 5;

Deno.test("the template equals what initdb and the migrations make", async () => {
  await using template = await upToDate(await readTemplate());
  await using made = await upToDate(await makeDatabase(), FORGET_UNUSED);
  assert.ok(template.applied.length <= MOST_LATER_MIGRATIONS, "run `deno task build:database`");
  for (const [aspect, sql] of Object.entries(ASPECTS)) {
    const [of_template, of_initdb] = await Promise.all([template, made].map(async ({ sql: database }) => {
      const [row] = await database.unsafe(sql).values();
      return String(row?.[0]).split("\n");
    }));
    assert.deepEqual(of_template, of_initdb, `${aspect}: a migration that is in the template was changed`);
    assert.ok(aspect === "comments" || of_template?.join("") !== "null", aspect);
  }
});

Deno.test("a new folder has no data, and of what migrations write it has its own", async () => {
  const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
  try {
    const own = await Promise.all(["one", "other"].map(async (name) => {
      const began = Date.now();
      const backend = await openFolder(`${parent}/${name}`);
      const tables = backend.select(
        "select oid::regclass from pg_class where relkind = 'r' and " + IN_PUBLIC("relnamespace"),
      );
      const filled = tables.filter((table) => backend.select(`select true from ${table} limit 1`).length > 0);
      assert.deepEqual(filled.toSorted(), ["kv_identity", "migrations", "readiness"]);
      const [applied] = backend.select("select min(applied_at)::text from migrations");
      const [checked] = backend.select("select checked_at::text from readiness");
      for (const at of [applied, checked]) assert.ok(Date.parse(at ?? "") >= began - 1, at ?? "");
      assert.deepEqual(backend.select("select bound from kv_identity"), ["f"]);
      const ids = backend.select("select id from kv_identity");
      await backend.close();
      return ids;
    }));
    assert.notDeepEqual(own[0], own[1]);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});

Deno.test("a folder starts from the template, without files of the process that made it", async () => {
  const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
  const folder = `${parent}/postgres`;
  try {
    await (await openFolder(folder)).close();
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.ok(names.includes("base") && !names.includes("postmaster.pid"));
    assert.equal(((await Deno.stat(`${folder}/PG_VERSION`)).mode ?? 0) & 0o777, 0o600);
    assert.equal(((await Deno.stat(`${folder}/base`)).mode ?? 0) & 0o777, 0o700);
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});

/** The template as another version of PostgreSQL would have made it, with a file that `initdb` does not make. */
async function foreignTemplate(): Promise<Uint8Array> {
  const tarball = Buffer.from(await readTemplate());
  const name_at = tarball.indexOf("PG_VERSION\0");
  const header = name_at - name_at % 512;
  const content = header + 512;
  tarball.write("12\n", content);
  const stray = Buffer.from(tarball.subarray(header, content + 512));
  stray.fill(0, name_at - header, name_at - header + "PG_VERSION".length).write("stray", name_at - header);
  return Buffer.concat([stray, tarball]);
}

Deno.test("a template that the backend refuses is replaced by a database of initdb, and nothing of it is left", async () => {
  const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
  const folder = `${parent}/postgres`;
  try {
    const foreign = await foreignTemplate();
    await assert.rejects(openFolder(`${parent}/refused`, foreign), /initialized by PostgreSQL version 12/);
    assert.ok((await Deno.stat(`${parent}/refused/stray`)).isFile);
    const backend = await openFolder(folder, undefined, () => Promise.resolve(foreign));
    assert.deepEqual(backend.select("select datname from pg_database"), ["postgres"]);
    assert.deepEqual(backend.select(`select relname from pg_class where ${IN_PUBLIC("relnamespace")}`), []);
    await backend.close();
    const names = (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name);
    assert.ok(!names.includes("stray") && !names.includes("unfinished"), names.join());
    const embedded = await openEmbedded({ folder });
    const sql = pool(embedded);
    assert.ok((await migrate(sql)).length > 60);
    await sql.end();
    await embedded.close();
  } finally {
    await Deno.remove(parent, { recursive: true });
  }
});

Deno.test("a new folder holds one database, and stays usable", async () => {
  const made_anew = await Backend.open(null, await makeDatabase());
  const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
  const folder = `${parent}/postgres`;
  try {
    const unused = made_anew.select(
      "select concat('base/', oid) from pg_database where datname like 'template%' order by 1",
    );
    assert.deepEqual(unused, UNUSED_FOLDERS);
    const made = await openFolder(folder);
    assert.deepEqual(made.select("select datname from pg_database"), ["postgres"]);
    assert.deepEqual(made.select("select description from pg_shdescription"), [
      "default administrative connection database",
    ]);
    made.select("create table kept as select 7 as n");
    made.select("vacuum freeze");
    // Each database in the folder has an oldest transaction. A vacuum makes it younger, in the database that it runs in.
    assert.deepEqual(made.select("select max(age(datfrozenxid)) < 10 from pg_database"), ["t"]);
    const dump = await made.dump();
    await made.close();
    const again = await openFolder(folder);
    assert.deepEqual(again.select("select n from kept"), ["7"]);
    await again.close();
    assert.deepEqual((await Array.fromAsync(Deno.readDir(`${folder}/base`))).map(({ name }) => name), ["5"]);
    const loaded = await openFolder(`${parent}/loaded`, dump);
    assert.deepEqual(loaded.select("select n from kept"), ["7"]);
    await loaded.close();
  } finally {
    await made_anew.close();
    await Deno.remove(parent, { recursive: true });
  }
});
