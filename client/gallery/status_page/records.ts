/** Ninety days of the status page, with a few bad ones, and its past incidents. The flow `status_check` continues them. */
import { dayAfter, type Records, type Row } from "../records.ts";

const DAYS = 90;
const CHECKS = 288;

const SERVICES: [key: string, name: string, about: string][] = [
  ["records", "Records", "A record is written and read back"],
  ["search", "Search", "A list with a filter"],
  ["flows", "Flows", "A flow calls another one"],
  ["code", "Code", "A code step computes"],
];

/** How many checks failed, so many days ago. */
const FAILED: [service: string, days_ago: number, failed: number][] = [
  ["records", 41, 7],
  ["search", 41, 9],
  ["search", 12, 46],
  ["search", 11, 3],
  ["flows", 63, 2],
  ["code", 27, 88],
  ["code", 26, 12],
  ["code", 71, 1],
];

interface Past {
  title: string;
  impact: string;
  service: string;
  days_ago: number;
  /** The first hour and the last one, in UTC. */
  hours: [number, number];
  said: [state: string, text: string][];
}

const PAST: Past[] = [
  {
    title: "Code steps wait too long",
    impact: "major",
    service: "code",
    days_ago: 27,
    hours: [8, 16],
    said: [
      ["investigating", "Code steps of some flows end with a timeout."],
      ["identified", "One of the processes that run code has used up its memory. It is being replaced."],
      ["resolved", "All processes work again. Failed runs can be repeated from the list of runs."],
    ],
  },
  {
    title: "Slow search",
    impact: "minor",
    service: "search",
    days_ago: 12,
    hours: [13, 17],
    said: [
      ["investigating", "Searches in large tables take several seconds."],
      ["monitoring", "The missing index has been built. We are watching."],
      ["resolved", "Searches are as fast as before."],
    ],
  },
  {
    title: "Database upgrade",
    impact: "maintenance",
    service: "records",
    days_ago: 5,
    hours: [3, 4],
    said: [["resolved", "The upgrade took 40 minutes. Reading worked all the time, and writes were repeated."]],
  },
];

const moment = (today: Date, days_ago: number, hour: number) =>
  `${dayAfter(today, -days_ago)}T${String(hour).padStart(2, "0")}:00:00Z`;

export const records: Records = (today) => ({
  status_services: SERVICES.map(([key, name, about], position) => ({ key, name, about, position })),
  status_days: SERVICES.flatMap(([service]) =>
    Array.from({ length: DAYS - 1 }, (_, index): Row => {
      const days_ago = DAYS - 1 - index;
      const failed = FAILED.find(([name, ago]) => name === service && ago === days_ago)?.[2] ?? 0;
      return { service, day: dayAfter(today, -days_ago), checks: CHECKS, failed };
    })
  ),
  status_incidents: PAST.map(({ title, impact, service, days_ago, hours: [first, last] }) => ({
    title,
    impact,
    service,
    state: "resolved",
    started_at: moment(today, days_ago, first),
    resolved_at: moment(today, days_ago, last),
  })),
  status_updates: ({ status_incidents = [] }) =>
    PAST.flatMap(({ days_ago, hours: [first, last], said }, index) => {
      const incident = status_incidents[index];
      if (incident === undefined) return [];
      return said.map(([state, text], place) => ({
        incident,
        state,
        text,
        at: moment(today, days_ago, place === said.length - 1 ? last : first + place),
      }));
    }),
});
