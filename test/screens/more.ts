/** What a large account has, with long names, for pictures of full pages. It is filled on top of `fill`. */
import { GALLERY, readSource } from "../../client/gallery/gallery.ts";
import { made } from "../stage/people.ts";
import type { Answer, Sent } from "../stage/harness.ts";

type Request = (method: string, path: string, sent?: Sent) => Promise<Answer>;

const PEOPLE = 90;
const DEPARTMENTS = 22;
const APPS = 24;
const TEAMS = 14;
const MAILBOXES = 18;
const TOKENS = 9;
const VERSIONS = 12;

const FIRST = ["Ada", "Bartholomew", "Chiara", "Dariusz", "Eun-ji", "Femke", "Guðrún", "Hyacinth", "Ikram", "Joaquín"];
const LAST = ["Featherstonehaugh", "Oyelaran", "Szczepański", "van der Westhuizen", "Li", "Ó Súilleabháin", "Nakamura"];
const WORK = ["Warranty and complaints", "Wholesale", "Second-hand bicycles and trade-ins", "E-bikes", "Events"];

const of = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;
const nameOf = (index: number) => `${of(FIRST, index)} ${of(LAST, index * 3 + Math.floor(index / 7))}`;

export async function fillMore(request: Request): Promise<void> {
  const post = async (path: string, json: unknown) => {
    let answer = await request("POST", path, { json });
    while (answer.status === 503) answer = await request("POST", path, { json });
    return made(answer);
  };
  const mailboxes: number[] = [];
  for (let i = 0; i < MAILBOXES; i++) {
    const name = i % 4 === 0 ? `${of(WORK, i)}, shared with the branch offices` : `Mailbox ${i + 1}`;
    const mailbox = { name, email: `mailbox-${i + 1}@kettlelane-cycles-and-repairs.example` };
    mailboxes.push((await post("/account/mailboxes.json", { mailbox })).id);
  }
  const departments: number[] = [];
  for (let i = 0; i < DEPARTMENTS; i++) {
    const name = `${of(WORK, i)} ${Math.floor(i / WORK.length) + 1}`;
    const department = {
      name,
      shortcut: i % 2 === 0 ? name.slice(0, 3).toUpperCase() : null,
      email: `branch-${i + 1}@kettlelane-cycles-and-repairs.example`,
      phone: `+44 1865 249 ${100 + i}`,
      description: "Takes in what the workshop and the front desk cannot decide on the spot, and answers within a day.",
      company_name: "Kettle Lane Cycles and Repairs (Oxford) Limited",
      company_street: "Kettle Lane",
      company_street_number: `${i + 1}b`,
      company_post_code: "OX1 2AB",
      company_city: "Oxford",
      company_country: "United Kingdom",
      company_website: "https://kettlelane-cycles-and-repairs.example",
      mailbox_ids: mailboxes.slice(i % 9, i % 9 + i % 4),
    };
    departments.push((await post("/account/departments.json", { department })).id);
  }
  const teams: number[] = [];
  for (let i = 0; i < TEAMS; i++) {
    teams.push((await post("/account/teams.json", { team: { name: `${of(WORK, i)}, team ${i + 1}` } })).id);
    await post("/account/groups.json", { group: { name: `Readers of ${of(WORK, i).toLowerCase()} ${i + 1}` } });
  }
  for (let i = 0; i < PEOPLE; i++) {
    const user_setting = {
      name: nameOf(i),
      login: `person${i}`,
      email: `person${i}.${of(LAST, i).length}@kettlelane-cycles-and-repairs.example`,
      role: of(["user", "user", "guest", "manager", "user"], i),
      active: i % 17 !== 5,
      department_ids: departments.slice(i % 11, i % 11 + i % 8),
      team_ids: teams.slice(0, i % 5),
      without_department: i % 6 === 0,
    };
    await post("/account/user_settings.json", { user_setting });
  }
  for (let i = 0; i < TOKENS; i++) {
    await post("/account/tokens.json", {
      token: { name: `Nightly export of ${of(WORK, i).toLowerCase()}`, scopes: ["records:read", "apps:read"] },
    });
  }
  for (let i = 0; i < 8; i++) {
    const email = `colleague-${i + 1}@kettlelane-cycles-and-repairs.example`;
    await request("POST", "/account/invitations.json", { json: { invitation: { email, role: "user" } } });
  }
  const flows = (await request("GET", "/connect/flows.json")).body;
  for (let i = 0; i < APPS; i++) {
    const app = of(GALLERY, i);
    const { file: _, ...fields } = app;
    const name = `${app.name} for ${of(WORK, i).toLowerCase()} ${i + 1}`;
    const created = await post("/platform/apps.json", {
      app: {
        ...fields,
        name,
        url_code: `${app.url_code}-${i + 1}`,
        source_code: await readSource(app),
        active: i % 9 !== 4,
        department_id: of(departments, i),
        show_in_module: of(["crm", "organize", null, "tasks/index", "commerce"], i),
      },
    });
    if (i !== 0) continue;
    // The first by its name: "A …" is sorted first.
    let { lock_version } = created;
    for (let version = 0; version < VERSIONS; version++) {
      const changed = {
        name: "A week of the whole workshop, by mechanic and by stand",
        source_code: (await readSource(app)).replace("done", `done${version}`),
        actions: ["send_letter", "order_the_parts_of_a_repair", "print_label"].map((action, at) => ({
          action,
          flow_code: flows[at % flows.length].code,
          description: "Called when a repair is ready and the customer wants to be told",
          public: at === 1,
        })),
        lock_version,
      };
      const answer = await request("PATCH", `/platform/apps/${created.id}.json`, { json: { app: changed } });
      if (answer.status !== 200) throw new Error(`not changed: ${answer.status} ${JSON.stringify(answer.body)}`);
      lock_version = answer.body.lock_version;
    }
  }
}
