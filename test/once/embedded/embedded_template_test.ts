/** The template of a data folder, held against what this PGlite's own `initdb` makes. */
import assert from "node:assert/strict";
import { Backend } from "../../../db/embedded/backend.ts";
import { openFolder } from "../../../db/embedded/folder.ts";
import { makeDatabase, readTemplate, UNUSED_FOLDERS } from "../../../db/embedded/template.ts";

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
  relations: `
    select string_agg(concat_ws(' ', relnamespace::regnamespace, relname, relkind, relnatts, relacl), e'\\n'
      order by relnamespace::regnamespace::text, relname)
    from pg_class where relkind <> 't' and relname not like 'pg_toast%'
  `,
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
    where name not in ('wal_segment_size', 'log_timezone', 'log_file_mode')
  `,
};

Deno.test("the template equals a folder made by initdb", async () => {
  const template = await Backend.open(null, await readTemplate());
  const made = await Backend.open(null, await makeDatabase());
  try {
    for (const [aspect, sql] of Object.entries(ASPECTS)) {
      const [of_template, of_initdb] = [template, made].map((backend) => backend.select(sql)[0]?.split("\n"));
      assert.deepEqual(of_template, of_initdb, aspect);
    }
  } finally {
    await template.close();
    await made.close();
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

Deno.test("a new folder holds one database, and stays usable", async () => {
  const template = await Backend.open(null, await readTemplate());
  const parent = await Deno.makeTempDir({ prefix: "atrium_embedded_" });
  const folder = `${parent}/postgres`;
  try {
    const unused = template.select(
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
    await template.close();
    await Deno.remove(parent, { recursive: true });
  }
});
