/** The documentation's pages in reading order: which Markdown file each is made of, and where it is shown. */

export interface Chapter {
  /** In the address: `/docs/<id>`. */
  id: string;
  group: string;
  /** From the root of the tree. */
  file: string;
  /** Of the overview; without a full stop. */
  summary: string;
  /** Instead of the file's first heading. */
  title?: string;
  /** The second-level headings under which the page's text stands; absent where it is the whole file. */
  sections?: readonly string[];
}

const guide = (id: string, group: string, summary: string): Chapter => ({ id, group, file: `docs/${id}.md`, summary });

/** A test compares them with the folder `docs/`. */
export const CHAPTERS: readonly Chapter[] = [
  {
    id: "start",
    group: "Start",
    file: "README.md",
    title: "Getting started",
    sections: ["Start", "A tour of five minutes"],
    summary: "Start a server, and make an app, a database, a flow and a trigger with five commands",
  },
  guide("concepts", "Start", "What there is, what each thing is for, and how they fit together"),
  guide("tour", "Start", "Departments, edits in place, filters, a flow that writes records, the client"),
  guide("apps", "Build", "Engines, fields, the sandbox and the platform module"),
  guide("databases", "Build", "Schemas, records, indexes, import and export, live changes"),
  guide("public-methods", "Build", "Records without a login, within what a database allows"),
  guide("flows", "Build", "Steps, templates, conditions, actions and runs"),
  guide("flow-examples", "Build", "Pages, many calls at once, GraphQL, OAuth 2, approvals, lists, dates, files"),
  guide("examples", "Build", "A CRM board, a booking form, a status page, a game, an order process"),
  guide("connectors", "Build", "Other services, their secrets, and where requests may go"),
  guide("triggers", "Build", "Schedules, missed times and the ledger"),
  guide("embedding", "Build", "Apps in pages of other sites, their users, dashboards"),
  { ...guide("rest", "API", "Paths, roles, lists, errors, concurrent edits"), file: "docs/api.md" },
  guide("client", "API", "Every call with the types of its input and output"),
  guide("account-in-git", "API", "Files for everything, plans, conflicts, two servers"),
  guide("agents", "API", "Claude Code, Cursor and others at /mcp: tools, confirmations, sessions"),
  guide("limits", "API", "What a caller may send in a minute"),
  guide("running", "Host", "Settings, PostgreSQL, several processes, backup, upgrades"),
  guide("moving", "Host", "A whole account as one file, from one server to another"),
  guide("audit", "Host", "Who changed what, and when"),
  { ...guide("security", "Host", "What is protected and how, and how to report a hole"), file: "SECURITY.md" },
  { ...guide("changelog", "Project", "What changed"), file: "CHANGELOG.md" },
  guide("development", "Project", "Tests, benchmarks, the console, adding things"),
  { ...guide("architecture", "Project", "How it is built, and why"), file: "ARCHITECTURE.md" },
];

/** @returns the address of a page, or undefined where the file is no page */
export function addressOf(file: string, anchor: string): string | undefined {
  const chapter = CHAPTERS.find((one) => one.file === file);
  return chapter && `/docs/${chapter.id}${anchor && `#${anchor}`}`;
}
