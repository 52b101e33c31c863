/** Proves viewers that hosts vouch for, through caches of a few seconds. */
import { actorOf } from "../../actor.ts";
import type { Clock } from "../../context.ts";
import { actingPool } from "../../database/acting.ts";
import type { Pool } from "../../database/pool.ts";
import { unauthorized } from "../../errors.ts";
import { narrowed } from "../../secrets/grant.ts";
import { Email } from "../../input/shapes.ts";
import type { Log } from "../../log.ts";
import { ofAccount, remember } from "../../remembered.ts";
import { type Claims, claimsOf, JwtFault, splitJwt, unknownKey } from "../../secrets/embedding_jwt.ts";
import { type Keys, Unreadable } from "../../secrets/keys.ts";
import type { Call, Viewer, Viewers } from "../../viewer.ts";
import { decryptKeySecret } from "./key_secret.ts";
import { createsGuests, findKey, findNamed, findVouched, insertGuest } from "./vouched_queries.ts";

/** A revoked key must be refused within 5 s in other server processes, even if a notification is lost. */
const BELIEVED_MS = 4_000;
const REMEMBERED_KEYS = 1_000;
const REMEMBERED_VIEWERS = 10_000;

interface Key {
  id: number;
  account_id: number;
  secret: string;
}

export interface VouchedViewers extends Pick<Viewers, "byJwt" | "byGrant"> {
  forget(): void;
  close(): Promise<void>;
}

interface Parts {
  sql: Pool;
  keys: Keys;
  config: { base_url: string };
  clock: Clock;
  log: Log;
}

export function createVouchedViewers({ sql, keys, config, clock, log }: Parts): VouchedViewers {
  const notified = ofAccount(sql, log, "viewers_changed");
  const options = { believed_ms: BELIEVED_MS, notified };
  const known_keys = remember<number, Key>({
    ...options,
    load: (id) => readKey(sql, keys, id, log),
    limit: REMEMBERED_KEYS,
  });
  const viewers = remember<string, Viewer>({
    ...options,
    async load(pair) {
      const [key = 0, user = 0] = pair.split("/").map(Number);
      return Object.freeze(await findVouched(sql, key, user));
    },
    limit: REMEMBERED_VIEWERS,
  });

  const byGrant: Viewers["byGrant"] = async (user_id, grant) => {
    const viewer = await viewers.find(`${grant.key_id}/${user_id}`);
    return viewer && { ...narrowed(viewer, grant), grant };
  };

  /** @throws {JwtFault} */
  const proven = async (jwt: string, call: Call): Promise<Viewer> => {
    const unverified = splitJwt(jwt);
    const key = /^[1-9]\d{0,8}$/.test(unverified.kid) ? await known_keys.find(Number(unverified.kid)) : undefined;
    if (!key) throw unknownKey();
    const claims = claimsOf(unverified, key.secret, config.base_url, clock.now());
    const user_id = await findNamed(sql, key.account_id, claims.sub) ??
      await createNamed(actingPool(sql, () => actorOf(call)), key.account_id, claims);
    const { role = null, departments = null } = claims;
    const viewer = await byGrant(user_id, { key_id: key.id, role, department_ids: departments });
    if (!viewer) throw new JwtFault("its sub names a user who is switched off");
    const foreign = departments?.filter((id) => !viewer.department_ids.includes(id)) ?? [];
    if (foreign.length > 0) throw new JwtFault(`its departments ${foreign.slice(0, 10).join(", ")} are not the user's`);
    return { ...viewer, expires_at: new Date(claims.exp * 1000).toISOString() };
  };

  return {
    byGrant,
    async byJwt(jwt, call) {
      try {
        return await proven(jwt, call);
      } catch (error) {
        if (!(error instanceof JwtFault)) throw error;
        throw unauthorized(`The host's token for its user is refused: ${error.message}`);
      }
    },
    forget() {
      known_keys.forgetAll();
      viewers.forgetAll();
    },
    async close() {
      await Promise.all([known_keys.close(), viewers.close()]);
    },
  };
}

async function readKey(sql: Pool, keys: Keys, id: number, log: Log): Promise<Key | undefined> {
  const stored = await findKey(sql, id);
  if (!stored) return undefined;
  const { account_id, secret, secret_key_id } = stored;
  try {
    return { id, account_id, secret: decryptKeySecret(keys, stored, { key_id: secret_key_id, bytes: secret }) };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    log.error("an embedding key's secret cannot be read", { embedding_key: id, key: secret_key_id });
    return undefined;
  }
}

/** Creates the user as a guest, where the account allows it. @throws {JwtFault} */
async function createNamed(sql: Pool, account: number, { sub, name }: Claims): Promise<number> {
  if (!await createsGuests(sql, account)) {
    throw new JwtFault(
      'its sub names no user of the account, and "unknown_users" of PATCH /account/embedding.json is refuse',
    );
  }
  const { data: email } = Email.safeParse(sub);
  if (email === undefined) {
    throw new JwtFault("its sub names no user, and a guest is created by an e-mail address only");
  }
  await insertGuest(sql, account, email, name ?? email);
  const user = await findNamed(sql, account, email);
  if (user === undefined) throw new JwtFault("its user has been deleted in the meantime");
  return user;
}
