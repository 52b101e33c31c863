/** Creating, changing and deleting connectors. */
import { encryptSecret } from "../../connectors/connectors.ts";
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { proveDepartment } from "../departments/proof.ts";
import {
  deleteConnector,
  findConnector,
  insertConnector,
  lockConnector,
  updateConnector,
  updateSecret,
  type Values,
  type WrittenConnector,
} from "./queries.ts";
import type { Connector, ConnectorChanges, NewConnector } from "./schema.ts";

/** @throws {Refusal} 404 */
export async function readConnector({ sql, viewer }: Context, id: number): Promise<Json<Connector>> {
  const connector = await findConnector(sql, viewer, id);
  if (!connector) throw notFound("Connector");
  return connector;
}

export async function createConnector(ctx: Context, input: NewConnector): Promise<Json<Connector>> {
  const { sql, viewer } = ctx;
  const { fields = {}, department_id = null } = input;
  const code = input.code ?? slug(input.name, "_").slice(0, 100);
  if (!code) throw invalid({ code: ["can't be blank"] });
  await proveDepartment(ctx, department_id);
  const id = await sql.begin(async (tx) => {
    const id = await insertConnector(tx, viewer.account_id, { ...valuesOf(input), code, fields, department_id });
    await writeSecret(ctx, tx, id, input.secret_token);
    return id;
  });
  return await readConnector(ctx, id);
}

/** @throws {Refusal} 404; 409 where `lock_version` is stale */
export async function changeConnector(ctx: Context, id: number, changes: ConnectorChanges): Promise<Json<Connector>> {
  const { sql, viewer, connectors } = ctx;
  if (changes.department_id !== undefined) await proveDepartment(ctx, changes.department_id);
  await sql.begin(async (tx) => {
    const before = await lockConnector(tx, viewer, id);
    if (!before) throw notFound("Connector");
    if (changes.lock_version !== undefined && changes.lock_version !== before.lock_version) {
      throw conflict((await findConnector(tx, viewer, id))?.parse());
    }
    proveSecretStays(before, changes);
    await updateConnector(tx, viewer.account_id, id, valuesOf(changes));
    await writeSecret(ctx, tx, id, changes.secret_token);
  });
  connectors.forget(id);
  return await readConnector(ctx, id);
}

/** Whoever may change an address must not get the secret of another one by it. @throws {Refusal} 422 */
function proveSecretStays({ url, has_secret_token }: WrittenConnector, changes: ConnectorChanges): void {
  if (!has_secret_token || changes.url === undefined || changes.secret_token !== undefined) return;
  if (new URL(changes.url).origin === new URL(url).origin) return;
  throw invalid({ secret_token: ["must be sent again, because the address is another one's"] });
}

/** @throws {Refusal} 404 */
export async function removeConnector({ sql, viewer, connectors }: Context, id: number): Promise<void> {
  if (!await deleteConnector(sql, viewer, id)) throw notFound("Connector");
  connectors.forget(id);
}

/** The row stands already: a secret is bound to its number. @param secret undefined leaves it, null clears it */
async function writeSecret({ keys, viewer }: Context, tx: Sql, id: number, secret: string | null | undefined) {
  if (secret === undefined) return;
  const place = { account_id: viewer.account_id, id };
  await updateSecret(tx, viewer.account_id, id, secret === null ? null : encryptSecret(keys, place, secret));
}

function valuesOf(input: Partial<NewConnector> & ConnectorChanges): Values {
  const { kind: _kind, secret_token: _secret, lock_version: _lock_version, ...values } = input;
  return { ...values, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
