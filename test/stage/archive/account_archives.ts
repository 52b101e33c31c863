/** Archives of accounts: taken from a server, or made up file by file. */
import assert from "node:assert/strict";
import { END, fileOf } from "../../../server/domains/archive/whole/tar/write.ts";
import type { Answer, TestServer } from "../harness.ts";
import type { Ask } from "../people.ts";

export const ARCHIVE = "/account/archive.tar";
const TAR = { "content-type": "application/x-tar" };
const encoder = new TextEncoder();

export type Bytes = Uint8Array<ArrayBuffer>;

/** The answer, whose body is still to be read. */
export async function openExport({ handler, base_url }: TestServer, token: string, query = ""): Promise<Response> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await handler(new Request(`${base_url}${ARCHIVE}?${query}`, { headers }));
  assert.equal(answer.status, 200);
  return answer;
}

export const exportAll = async (server: TestServer, token: string): Promise<Bytes> =>
  await (await openExport(server, token, "records=true&runs=true")).bytes();

export const importInto = (ask: Ask, raw: BodyInit): Promise<Answer> => ask("POST", ARCHIVE, { raw, headers: TAR });

/** The files of a body that is good, by name. A text is a file's content; a list its lines. */
export type Files = Record<string, string | object[] | Uint8Array>;

const MANIFEST = {
  format: "atrium account 1",
  made_at: "2026-11-24T10:00:00Z",
  version: "0.1.0",
  records: true,
  runs: true,
  account: {
    name: "Made up",
    host: null,
    departments_mode: "open",
    departments_mode_chosen: false,
    main_department_id: null,
    rate_limits: {},
    embedding_hosts: [],
    embedding_unknown_users: "refuse",
    oidc_creates_users: false,
  },
  embedding_keys: [],
};

export const manifestWith = (fields: object): string => JSON.stringify({ ...MANIFEST, ...fields });

/** An archive with `account.json` and these files, in their order. */
export const archiveOf = (files: Files): Bytes => tarOf({ "account.json": manifestWith({}), ...files });

export const tarOf = (files: Files): Bytes =>
  joined([
    ...Object.entries(files).map(([name, content]) => {
      const text = Array.isArray(content) ? content.map((line) => `${JSON.stringify(line)}\n`).join("") : content;
      return fileOf(name, typeof text === "string" ? encoder.encode(text) : text, 0);
    }),
    END,
  ]);

export function joined(parts: readonly Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const KEPT = {
  lock_version: 0,
  created_at: "2026-11-24T10:00:00+00:00",
  updated_at: "2026-11-24T10:00:00+00:00",
};

/** A department as a line of an archive. */
export const departmentLine = (id: number, name: string) => ({
  ...Object.fromEntries(
    [
      ...["shortcut", "description", "phone", "email", "company_name", "company_tax_no", "company_street"],
      ...["company_street_number", "company_post_code", "company_city", "company_country", "company_email"],
      ...["company_phone", "company_website", "company_bank", "company_bank_account", "company_logo", "logo_file"],
    ].map((column) => [column, null]),
  ),
  id,
  name,
  ...KEPT,
});

export const dbLine = (id: number, code: string) => ({
  id,
  code,
  name: code,
  department_id: null,
  schema: { fields: { title: "string" } },
  public_methods: {},
  public_write_limit: 60,
  tables: [{ id, name: "" }],
  ...KEPT,
});

export const recordLine = (id: string, data: object) => ({
  id,
  table_name: null,
  data,
  department_id: null,
  created_by_id: null,
  created_at: KEPT.created_at,
  updated_at: KEPT.updated_at,
});

export const appLine = (id: string, fields: object = {}) => ({
  id,
  name: "Clock",
  department_id: null,
  url_code: "clock",
  description: null,
  app_engine: "js",
  css_engine: "none",
  source_code: "document.title = 'one';\n",
  public: false,
  active: true,
  db_code: null,
  show_in_module: null,
  position: 0,
  embed_width: null,
  embed_height: null,
  prompt: null,
  actions: [],
  action_authors: {},
  fields: {},
  app_build_time: 0,
  css_build_time: 0,
  version: 1,
  created_by_id: null,
  updated_by_id: null,
  ...KEPT,
  ...fields,
});

export const userLine = (id: number, login: string, fields: object = {}) => ({
  id,
  login,
  email: `${login}@example.com`,
  name: login,
  role: "user",
  without_department: true,
  active: true,
  team_ids: [],
  group_ids: [],
  department_ids: [],
  ...KEPT,
  ...fields,
});
