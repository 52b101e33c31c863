/** Connectors, without their secrets, and the counts of their calls. */
import { z } from "zod";
import { part } from "../../../../database/part.ts";
import { fold, Id, LockVersion } from "../../../../input/shapes.ts";
import { ConnectorFields } from "../../../../connectors/connectors.ts";
import { NewConnector } from "../../../connectors/schema.ts";
import { byId, Moment, type MovedTable } from "../moved.ts";

export const connectors: MovedTable = {
  name: "connectors",
  with: "account",
  table: part`connectors`,
  columns: part`id, department_id, code, name, url, fields, lock_version, created_at, updated_at`,
  made: part`name_folded`,
  ...byId,
  at_once: 100,
  numbered: "connector",
  references: { department_id: ["department", "null"] },
  shape: NewConnector.omit({ kind: true, secret_token: true }).required()
    .extend({ id: Id, lock_version: LockVersion, created_at: Moment, updated_at: Moment }),
  settle({ name, code, fields }, { result }) {
    const { auth } = ConnectorFields.parse(fields);
    if ((auth?.type ?? "none") !== "none") result.secrets.push({ kind: "connector", name: String(code) });
    return { name_folded: fold(String(name)) };
  },
};

export const connectorCalls: MovedTable = {
  name: "connector_calls",
  with: "runs",
  table: part`connector_calls`,
  columns: part`connector_id, hour, calls, failures, total_ms, most_ms, failed_at, last_failure`,
  key: part`connector_id, hour`,
  keyOf: ({ connector_id, hour }) => part`${Number(connector_id)}::int, ${String(hour)}::timestamptz`,
  at_once: 1_000,
  references: { connector_id: ["connector", "skip"] },
  shape: z.object({ connector_id: Id, hour: Moment }),
};
