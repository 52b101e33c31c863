/** Shapes of a connector's health. */
import { z } from "zod";
import { HEALTH_KEPT_DAYS } from "../../../connectors/connectors.ts";
import { Id, text, Timestamp } from "../../../input/shapes.ts";

const MOST_CONNECTORS = 200;
const MOST_HOURS = HEALTH_KEPT_DAYS * 24;

const Hours = z.int().min(1).max(MOST_HOURS).default(24).describe("How many hours, the present one included");

const counts = (words: string) => z.array(z.int()).describe(words);

export const ConnectorHealth = z.object({
  connector_id: Id,
  first_hour: Timestamp.describe("Begin of the first hour, in UTC"),
  calls: counts("By hour; the present one is the last").meta({ examples: [[0, 3, 1]] }),
  failures: counts("By hour: no connection, no answer in time, or a status of 400 or above").meta({
    examples: [[0, 1, 0]],
  }),
  ms: z.array(z.int().nullable()).describe("Average duration of a call by hour; null without a call")
    .meta({ examples: [[null, 96, 41]] }),
  total: z.object({
    calls: z.int().meta({ examples: [4] }),
    failures: z.int().meta({ examples: [1] }),
    ms: z.int().nullable().describe("Average duration").meta({ examples: [82] }),
    most_ms: z.int().nullable().describe("The longest duration").meta({ examples: [204] }),
  }).describe("Of these hours"),
  last_failure: z.object({
    at: Timestamp,
    method: z.string().meta({ examples: ["latest"] }),
    kind: z.string().describe("refused, network, timeout, status or too_large").meta({ examples: ["status"] }),
    message: z.string().meta({ examples: ["fx answered 503 Service Unavailable"] }),
  }).nullable().describe(`Of the last ${HEALTH_KEPT_DAYS} days`),
});
export type ConnectorHealth = z.output<typeof ConnectorHealth>;

export const OfConnectors = z.object({
  ids: text(MOST_CONNECTORS * 11).default("")
    .transform((list) => list === "" ? [] : [...new Set(list.split(",").map(Number))])
    .pipe(z.array(Id).max(MOST_CONNECTORS))
    .describe(`Ids of connectors, separated by commas; at most ${MOST_CONNECTORS}`)
    .meta({ examples: ["1,2"] }),
  hours: Hours,
});

export const OfConnector = z.object({ id: Id, hours: Hours });
