/** Faults of triggers. */
import { made } from "../../stage/people.ts";
import { onSharedServer } from "../../stage/scenario.ts";

const inAccount = onSharedServer();

const CRONS = "/account/crons.json";
const json = (cron: Record<string, unknown>) => ({ json: { cron } });

inAccount("crons: the faults of all fields are reported at once", async ({ ask, play }) => {
  made(await ask("POST", "/connect/flows.json", { json: { flow: { name: "watch", code: "watch" } } }));
  const { id } = made(await ask("POST", CRONS, json({ target_code: "watch", schedule: "0 9 * * *" })));
  const wrong = { schedule: "61 * * * *", timezone: "Mars/Olympus", target_code: "nowhere", department_id: 999_999 };
  const body = {
    schedule: /minute/,
    timezone: /time zone/,
    target_code: ["must exist"],
    department_id: ["must exist"],
  };
  await play([
    { name: "at a create", method: "POST", path: CRONS, sent: json({ kind: "flow", ...wrong }), status: 422, body },
    { name: "at a change", method: "PATCH", path: `/account/crons/${id}.json`, sent: json(wrong), status: 422, body },
  ]);
});
