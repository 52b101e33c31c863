/** Triggers. Secret addresses and signing keys stay on the server. */
import { z } from "zod";
import { RecordSettings } from "../../../schedule/schedule.ts";
import { CronChanges } from "../../crons/schema.ts";
import { Webhook, WebhookSettings } from "../../crons/webhooks/schema.ts";
import { changeCron, createCron, DEFAULTS, OVERLAP, removeCron } from "../../crons/write.ts";
import { DepartmentName, keyOfName, readWhole, sorted, type ThingKind, type Value } from "../thing.ts";

const shape = CronChanges.omit({ lock_version: true, department_id: true, webhook: true, record: true }).required()
  .extend({ webhook: WebhookSettings.nullable(), record: RecordSettings.nullable(), department: DepartmentName })
  .strict();

const { department_id: _, ...settings } = DEFAULTS;
const defaultsOf = ({ kind }: Value) => ({
  ...settings,
  schedule: null,
  overlap: kind === "webhook" || kind === "record" ? OVERLAP[kind] : OVERLAP.flow,
  webhook: kind === "webhook" ? WebhookSettings.parse({}) : null,
  record: null,
  department: null,
});

const keyOf = ({ name, target_code, kind }: Value) =>
  keyOfName(typeof name === "string" ? name : `${target_code}-${kind}`, "trigger");

const WithSecret = z.object({ webhook: Webhook });
const webhookOf = (webhook: WebhookSettings, secret: string | undefined) =>
  readWhole(WithSecret, { webhook: { ...webhook, secret } }).webhook;

export const trigger: ThingKind = {
  shape,
  defaults: defaultsOf,
  keyOf,
  settle: (value) => ({
    ...value,
    input: sorted(value.input),
    webhook: sorted(value.webhook),
    record: sorted(value.record),
  }),
  list: async (sql, account) =>
    (await sql<(Value & { id: number })[]>`
      select id, name, target_code, kind from crons where account_id = ${account} order by created_at, id
    `).map(({ id, ...value }) => ({ id, wanted: keyOf(value) })),
  async read(sql, account, ids) {
    const rows = await sql<(Value & { id: number; lock_version: number })[]>`
      select c.id, c.lock_version, c.name, c.kind, c.target_code, c.input, c.schedule, c.timezone, c.active, c.overlap,
        c.catch_up, c.max_failures, d.name as department,
        case when c.kind = 'webhook' then c.settings end as webhook,
        case when c.kind = 'record' then c.settings end as record
      from crons c
      left join departments d on d.id = c.department_id
      where c.account_id = ${account}
        and c.id = any(${ids.map(Number)}::int[])
      limit ${ids.length}
    `;
    return rows.map(({ id, lock_version, ...value }) => ({
      id,
      lock_version,
      value: {
        ...value,
        input: sorted(value.input),
        webhook: sorted(value.webhook && WebhookSettings.parse(value.webhook)),
        record: sorted(value.record && RecordSettings.parse(value.record)),
      },
    }));
  },
  async create({ ctx, secrets, departmentId }, key, value) {
    const { department, webhook, ...fields } = shape.parse(value);
    const secret = webhook?.signature === "none" ? undefined : secrets[`trigger/${key}`];
    const { id, webhook_url } = (await createCron(ctx, {
      ...fields,
      webhook: webhook && webhookOf(webhook, secret),
      department_id: await departmentId(department),
    })).parse();
    return { id, webhook_url };
  },
  async change({ ctx, secrets, departmentId }, { id, lock_version, value: before }, key, changes) {
    const { department, webhook, ...fields } = shape.partial().parse(changes);
    const had_signature = WebhookSettings.safeParse(before.webhook).data?.signature ?? "none";
    const secret = had_signature === "none" && webhook?.signature !== "none" ? secrets[`trigger/${key}`] : undefined;
    await changeCron(ctx, Number(id), {
      ...fields,
      lock_version,
      ...webhook !== undefined && { webhook: webhook && webhookOf(webhook, secret) },
      ...department !== undefined && { department_id: await departmentId(department) },
    });
    return { id };
  },
  remove: (ctx, { id }) => removeCron(ctx, Number(id)),
};
