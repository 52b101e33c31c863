/** Who sees an object, and what a user sees. */
import type { Context } from "../../context.ts";
import { Json } from "../../database/json.ts";
import type { Sql } from "../../database/pool.ts";
import { badRequest, notFound } from "../../errors.ts";
import { Id, Uuid } from "../../input/shapes.ts";
import { ROLES } from "../../viewer.ts";
import { DbCode } from "../dbs/db_code.ts";
import { listActions, listApps, listConnectors, listCrons, listDbs, listFlows } from "./objects.ts";
import { type AccessUser, findAccessUser, listSeers, namesOfDepartments } from "./queries.ts";
import { type Reached, seenFrom, type Wanted } from "./reached.ts";
import { listRecords } from "./records.ts";
import { accessOf, accessOfEveryone } from "./rules.ts";
import { listRuns } from "./runs.ts";
import { type Access, type AccessQuery, type Type, TYPES } from "./schema.ts";

interface Kind {
  /** As people call it, for a 404. */
  thing: string;
  isId(id: string): boolean;
  isKey(key: string): boolean;
  list(ctx: Context, wanted: Wanted): Promise<Reached[]>;
}

const isUuid = (text: string) => Uuid.safeParse(text).success;
const isNumber = (text: string) => /^[1-9]\d*$/.test(text) && Id.safeParse(Number(text)).success;
const isCode = (text: string) => DbCode.safeParse(text).success;
const isAction = (text: string) => /^[^/]+\/./s.test(text) && isUuid(text.slice(0, text.indexOf("/")));
const RECORD_KEY = /^\d{1,9}\.\d{1,17}\.([0-9a-f-]{36})$/;

const KINDS: Record<Type, Kind> = {
  app: { thing: "App", isId: isUuid, isKey: isUuid, list: ({ sql }, wanted) => listApps(sql, wanted) },
  action: { thing: "Action", isId: isAction, isKey: isAction, list: ({ sql }, wanted) => listActions(sql, wanted) },
  db: { thing: "Database", isId: isCode, isKey: isCode, list: ({ sql }, wanted) => listDbs(sql, wanted) },
  connector: {
    thing: "Connector",
    isId: isNumber,
    isKey: isCode,
    list: ({ sql }, wanted) => listConnectors(sql, wanted),
  },
  flow: { thing: "Flow", isId: isNumber, isKey: isCode, list: ({ sql }, wanted) => listFlows(sql, wanted) },
  cron: { thing: "Trigger", isId: isNumber, isKey: isNumber, list: ({ sql }, wanted) => listCrons(sql, wanted) },
  run: { thing: "Flow process", isId: isUuid, isKey: isUuid, list: listRuns },
  record: {
    thing: "Record",
    isId: isUuid,
    isKey: (key) => isUuid(RECORD_KEY.exec(key)?.[1] ?? ""),
    list: ({ sql }, wanted) => listRecords(sql, wanted),
  },
};

/** @throws {Refusal} 400, 404 */
export async function listAccess(ctx: Context, query: AccessQuery): Promise<Json<Access[]>> {
  const { type, id, user_id } = query;
  const { sql, viewer } = ctx;
  if (type !== undefined && id !== undefined) {
    if (user_id !== undefined) await findUser(sql, viewer.account_id, user_id);
    return await whoSees(ctx, type, id, query);
  }
  return await seenBy(ctx, await findUser(sql, viewer.account_id, user_id ?? viewer.user_id), query);
}

/** @throws {Refusal} 404 */
async function findUser(sql: Sql, account: number, id: number): Promise<AccessUser> {
  const user = await findAccessUser(sql, account, id);
  if (!user) throw notFound("User");
  return user;
}

/** The entry for everyone, then users by id. */
async function whoSees(ctx: Context, type: Type, id: string, query: AccessQuery): Promise<Json<Access[]>> {
  const { sql, viewer } = ctx;
  const { after, per_page, user_id } = query;
  if (after !== undefined && after !== "0" && !isNumber(after)) throw wrongAfter();
  const { thing, isId, list } = KINDS[type];
  const [object] = isId(id) ? await list(ctx, { viewer, user: undefined, id, after: undefined, limit: 1 }) : [];
  if (!object) throw notFound(thing);
  const least = ROLES.indexOf(seenFrom(type, object.seen_from));
  const everyone = after === undefined ? accessOfEveryone(type, object) : undefined;
  const places = per_page - (everyone ? 1 : 0);
  const users = await listSeers(sql, viewer.account_id, {
    departments: object.departments,
    roles: ROLES.slice(least),
    user_id,
    after: Number(after ?? 0),
    limit: places + 1,
  });
  const names = await namesOf(ctx, [object]);
  const shown = users.slice(0, places).map((user) => accessOf(user, type, object, names));
  const more = users.length > places ? String(shown.at(-1)?.user?.id ?? 0) : undefined;
  return new Json(JSON.stringify([...everyone ? [everyone] : [], ...shown]), undefined, more);
}

/** Type by type, in the order of `TYPES`. */
async function seenBy(ctx: Context, user: AccessUser, query: AccessQuery): Promise<Json<Access[]>> {
  const { viewer } = ctx;
  const { type: only, after, per_page } = query;
  const from = after === undefined ? undefined : readAfter(after, only);
  if (!user.active) return new Json("[]");
  const types = TYPES.slice(from ? TYPES.indexOf(from.type) : 0).filter((type) => only === undefined || type === only);
  const found: { type: Type; object: Reached }[] = [];
  for (const type of types) {
    const limit = per_page + 1 - found.length;
    if (limit <= 0) break;
    const wanted = { viewer, user, id: undefined, after: type === from?.type ? from.key : undefined, limit };
    const objects = await KINDS[type].list(ctx, wanted);
    found.push(...objects.map((object) => ({ type, object })));
  }
  const names = await namesOf(ctx, found.map(({ object }) => object));
  const shown = found.slice(0, per_page);
  const last = found.length > per_page ? shown.at(-1) : undefined;
  const entries = shown.map(({ type, object }) => accessOf(user, type, object, names));
  return new Json(JSON.stringify(entries), undefined, last && `${last.type}:${last.object.key}`);
}

/** @throws {Refusal} 400 */
function readAfter(after: string, only: Type | undefined): { type: Type; key: string } {
  const [name = "", key = ""] = after.split(/:(.*)/s);
  const type = TYPES.find((type) => type === name && (only === undefined || type === only));
  if (type === undefined || !KINDS[type].isKey(key)) throw wrongAfter();
  return { type, key };
}

const wrongAfter = () => badRequest("after is none of this list: take it from the Link to the next page");

function namesOf({ sql, viewer }: Context, objects: readonly Reached[]): Promise<Map<number, string>> {
  const ids = objects.flatMap(({ departments }) => departments).filter((id) => id !== null);
  return namesOfDepartments(sql, viewer.account_id, [...new Set(ids)]);
}
