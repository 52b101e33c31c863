/** Creates, changes and deletes connectors. */
import { ConnectorFields, encryptSecret, secretOrigins } from "../../connectors/connectors.ts";
import type { z } from "zod";
import type { Context } from "../../context.ts";
import type { Sql } from "../../database/pool.ts";
import { conflict, invalid, notFound } from "../../errors.ts";
import type { Json } from "../../database/json.ts";
import { fold } from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";
import { proveDepartment } from "../departments/proof.ts";
import {
  deleteConnector,
  findCode,
  findConnector,
  insertConnector,
  lockConnector,
  readConnector,
  updateConnector,
  updateSecret,
  type Values,
  type WrittenConnector,
} from "./queries.ts";
import { proveUnused } from "../uses/uses.ts";
import type { Connector, ConnectorChanges, ConnectorToDelete, NewConnector } from "./schema.ts";

/** @throws {Refusal} 422 */
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

/** @throws {Refusal} 404; 409 if `lock_version` is stale; 422 */
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

/**
 * A manager who cannot read the secret must not be able to send it to another origin by changing an address.
 *
 * @throws {Refusal} 422
 */
function proveSecretStays(before: WrittenConnector, changes: ConnectorChanges): void {
  if (!before.has_secret_token || changes.secret_token !== undefined) return;
  const { auth } = ConnectorFields.parse(before.fields);
  const new_auth = changes.fields ? changes.fields.auth : auth;
  const was_oauth = auth?.type === "oauth2_client_credentials";
  if (was_oauth && new_auth && ![auth.type, "none", "hmac"].includes(new_auth.type)) {
    throw invalid({ secret_token: ["must be sent again, because the new auth sends it to another address"] });
  }
  const known = secretOrigins(before.url, auth);
  const after = secretOrigins(changes.url ?? before.url, new_auth);
  if (after.every((origin) => known.includes(origin))) return;
  const name = changes.url !== undefined && !known.includes(new URL(changes.url).origin) ? "url" : "token_url";
  throw invalid({ secret_token: [`must be sent again, because the new ${name} has another origin`] });
}

/** @throws {Refusal} 404; 409 if it is in use */
export async function removeConnector(ctx: Context, { id, force }: z.output<typeof ConnectorToDelete>): Promise<void> {
  const { sql, viewer, connectors } = ctx;
  const code = await findCode(sql, viewer, id);
  if (code === undefined) throw notFound("Connector");
  await proveUnused(ctx, "connector", code, "connector", force);
  if (!await deleteConnector(sql, viewer, id)) throw notFound("Connector");
  connectors.forget(id);
}

/**
 * Runs after the insert, because the ciphertext is bound to the row's id.
 *
 * @param secret undefined keeps the present one, null clears it
 */
async function writeSecret({ keys, viewer }: Context, tx: Sql, id: number, secret: string | null | undefined) {
  if (secret === undefined) return;
  const owner = { account_id: viewer.account_id, id };
  await updateSecret(tx, viewer.account_id, id, secret === null ? null : encryptSecret(keys, owner, secret));
}

function valuesOf(input: Partial<NewConnector> & ConnectorChanges): Values {
  const { kind: _kind, secret_token: _secret, lock_version: _lock_version, ...values } = input;
  return { ...values, ...(input.name !== undefined && { name_folded: fold(input.name) }) };
}
