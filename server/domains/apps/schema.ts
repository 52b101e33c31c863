/** Shapes of apps, their actions and versions, in requests and answers. */
import { UUID } from "../../database/uuid_v7.ts";
import { z } from "zod";
import { CSS_ENGINES, ENGINES } from "../../compiler/compiler.ts";
import {
  Id,
  InDepartment,
  JsonObject,
  jsonObject,
  Line,
  LockVersion,
  Name,
  page,
  text,
  Timestamp,
  Uuid,
} from "../../input/shapes.ts";
import { slug } from "../../input/slug.ts";

/** Modules whose side menu may hold an app. Source: spec, "Embedding". */
export const MODULES = [
  "organize",
  "mail",
  "crm",
  "kb",
  "cms",
  "connect",
  "voip",
  "form",
  "insight",
  "billing",
  "drive",
  "fiskator",
  "commerce",
  "account",
] as const;

const PAGE_PATH = /^[a-z_]+(\/[a-z_]+)+$/;

const Engine = z.enum(ENGINES);
const CssEngine = z.enum(CSS_ENGINES);

/** A blank code becomes null. */
const UrlCode = text(1000).transform((value) => slug(value) || null)
  .refine((code) => code === null || !UUID.test(code), "must not look like an id")
  .refine((code) => code === null || code.length <= 100, "is too long (maximum is 100 characters)")
  .nullable().meta({ examples: ["my-counter"] });

export const ShowInModule = text(255).transform((value) => value || null)
  .refine(
    (value) => value === null || MODULES.some((module) => module === value) || PAGE_PATH.test(value),
    "is not included in the list",
  ).nullable().describe("A module, or the path of a page such as `tasks/show`").meta({ examples: ["organize"] });

const pixels = (what: string) =>
  z.int().min(1).max(10_000).nullable().describe(`${what} in CSS pixels at which other pages first show the app`);

const COUNTER = `<script>
  let count = $state(0);
</script>

<button onclick={() => count++}>{count}</button>
`;

const SourceCode = text(200_000).refine((value) => value.trim() !== "", "can't be blank")
  .describe("At most 200,000 characters").meta({ examples: [COUNTER] });

/** Source: spec, "Action entry". */
const Action = z.object({
  action: text(100).refine((value) => /^[\w-]+$/.test(value), "must be letters, digits, _ and -"),
  flow_code: text(255).refine((value) => value.trim() !== "", "can't be blank"),
  description: text(2_000).nullable().default(null),
  public: z.boolean().default(false),
});

const ACTIONS = [{ action: "refresh", flow_code: "refresh_rates", description: "Fetches the rates", public: false }];

const Actions = z.array(Action).max(200).superRefine((actions, { addIssue }) => {
  const names = actions.map(({ action }) => action);
  names.forEach((name, index) => {
    if (names.indexOf(name) < index) {
      addIssue({ code: "custom", path: [index, "action"], message: "has already been taken" });
    }
  });
}).meta({ examples: [ACTIONS] });

const Fields = jsonObject(65_536)
  .refine(({ dashboard_widget = false }) => typeof dashboard_widget === "boolean", {
    path: ["dashboard_widget"],
    message: "must be a boolean",
  })
  .describe("`dashboard_widget` is a boolean. A change without this key keeps it")
  .meta({ examples: [{ theme: "dark" }] });

const written = {
  name: Name.meta({ examples: ["Counter"] }),
  url_code: UrlCode,
  description: text(65_535).nullable().meta({ examples: ["Counts clicks"] }),
  app_engine: Engine,
  css_engine: CssEngine,
  source_code: SourceCode,
  public: z.boolean().meta({ examples: [true] }),
  active: z.boolean().meta({ examples: [true] }),
  db_code: Line,
  show_in_module: ShowInModule,
  position: z.int().min(-1_000_000).max(1_000_000)
    .describe("Orders the apps of one module or page; those with the same number follow each other by name")
    .meta({ examples: [0] }),
  embed_width: pixels("The width").meta({ examples: [null] }),
  embed_height: pixels("The height").meta({ examples: [320] }),
  prompt: text(65_535).nullable().meta({ examples: ["Keep the button large"] }),
  actions: Actions,
  fields: Fields,
  department_id: Id.nullable().meta({ examples: [null] }),
};

const DashboardWidget = z.boolean().describe("Kept in `fields.dashboard_widget`; the other keys of `fields` stay")
  .meta({ examples: [false] });

const optional = z.object({ ...written, dashboard_widget: DashboardWidget }).partial();

export const NewApp = optional.extend({
  name: written.name,
  source_code: written.source_code,
  app_engine: Engine.default("svelte"),
  css_engine: CssEngine.default("tailwind_all"),
});
export type NewApp = z.output<typeof NewApp>;

export const AppChanges = optional.extend({ lock_version: LockVersion.optional() });
export type AppChanges = z.output<typeof AppChanges>;

/** An app in answers. The columns `app_code` and `css_code` are never sent. */
export const App = z.object({
  id: Uuid,
  ...written,
  url_code: z.string().nullable().meta({ examples: ["my-counter"] }),
  show_in_module: z.string().nullable().meta({ examples: ["organize"] }),
  actions: z.array(z.object({
    action: z.string(),
    flow_code: z.string(),
    description: z.string().nullable(),
    public: z.boolean(),
  })).meta({ examples: [ACTIONS] }),
  dashboard_widget: DashboardWidget,
  app_build_time: z.int().describe("Milliseconds; 0 where nothing is compiled").meta({ examples: [24] }),
  css_build_time: z.int().describe("Milliseconds; 0 where nothing is compiled").meta({ examples: [0] }),
  config: JsonObject.describe("Written by the server: compiler versions, source hash, sizes and warnings").meta({
    examples: [{
      compiler: { svelte: "5.57.3" },
      source_hash: "0123456789abcdef".repeat(4),
      size: { raw: 812, brotli: 420 },
      warnings: [],
    }],
  }),
  has_draft: z.boolean().describe("Whether the caller has a draft of it").meta({ examples: [false] }),
  version: z.int().describe("Grows by 1 with each change of the source, the engines or the actions; see versions")
    .meta({ examples: [1] }),
  lock_version: LockVersion,
  created_by_id: Id.nullable(),
  updated_by_id: Id.nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
});
export type App = z.output<typeof App>;

/** An app in lists, without its prompt and its source, which may be 200 KB. */
export const ListedApp = App.omit({ source_code: true, prompt: true });
export type ListedApp = z.output<typeof ListedApp>;

export const AppPage = page([
  "-created_at",
  "created_at",
  "name",
  "-name",
  "updated_at",
  "-updated_at",
]).extend({
  q: text(255).optional().describe("Part of the name, description or url_code, without regard to case")
    .meta({ examples: ["counter"] }),
  action: text(100).optional().describe("Part of the name of one of its actions, without regard to case")
    .meta({ examples: ["refresh"] }),
  app_engine: Engine.optional(),
  public: z.boolean().optional(),
  active: z.boolean().optional(),
  department_id: InDepartment,
  show_in_module: ShowInModule.optional(),
  dashboard_widget: z.boolean().optional(),
});
export type AppPage = z.output<typeof AppPage>;

/** Source: spec, "Replace". */
export const Replacement = z.object({
  id: Uuid,
  field: z.enum(["source_code", "fields", "prompt"]),
  old: text(200_000).optional().meta({ examples: ["count++"] }),
  new: text(200_000).optional().meta({ examples: ["count += 2"] }),
  old_string: text(200_000).optional().describe("The same as `old`"),
  new_string: text(200_000).optional().describe("The same as `new`"),
  replace_all: z.boolean().default(false),
  lock_version: LockVersion.optional().meta({ examples: [1] }),
});
export type Replacement = z.output<typeof Replacement>;

/** An earlier version: a state that a change of source, engines or actions replaced. */
export const ListedVersion = z.object({
  version: z.int().meta({ examples: [1] }),
  lock_version: z.int().nullable()
    .describe("The app's when this version was replaced; null for versions that are older than this field")
    .meta({ examples: [3] }),
  app_engine: Engine,
  css_engine: CssEngine,
  created_by_id: Id.nullable().describe("The user who replaced this version"),
  created_at: Timestamp.describe("When this version was replaced"),
});
export type ListedVersion = z.output<typeof ListedVersion>;

export const Version = ListedVersion.extend({ source_code: written.source_code, actions: App.shape.actions });
export type Version = z.output<typeof Version>;

export const VersionPage = page(["-version", "version"]).extend({ id: Uuid });
export type VersionPage = z.output<typeof VersionPage>;
export const ByVersion = z.object({ id: Uuid, version: z.int().min(1).max(2_147_483_647).meta({ examples: [1] }) });

/** The answer to a call of an action and to a poll. Source: spec, "Action call status values". */
export const ActionAnswer = z.object({
  flow_process_id: Uuid,
  status: z.enum(["pending", "finished", "error"]).meta({ examples: ["finished"] }),
  data: z.unknown().optional().describe("Of a finished one, and of one that a `fail` step has ended with data").meta({
    examples: [{ rate: 4.2 }],
  }),
  error: z.string().optional().describe("Of one that failed").meta({ examples: ["rates: 503 Service Unavailable"] }),
});
export type ActionAnswer = z.output<typeof ActionAnswer>;

const AppId = Uuid.describe("The app's id");
const ActionName = z.string().regex(/^[\w-]{1,100}$/).describe("The name of one of the app's `actions`").meta({
  examples: ["refresh"],
});
/** A header carries printable characters only. */
const PRINTABLE = /^[\x21-\x7e]{1,200}$/;
export const IdempotencyKey = z.string()
  .refine((key) => PRINTABLE.test(key), "must be 1 to 200 printable characters without spaces")
  .meta({ pattern: PRINTABLE.source })
  .describe(
    "A second call with the same key within 24 hours returns the first one's run; with another input it is refused",
  );

export const ActionCall = z.object({
  id: AppId,
  action_name: ActionName,
  params: JsonObject.default({}).describe("The flow's input").meta({ examples: [{ currency: "EUR" }] }),
  idempotency_key: IdempotencyKey.optional().meta({ examples: ["order-4711"] }),
});
export const ActionPoll = z.object({
  id: AppId,
  action_name: ActionName,
  flow_process_id: Uuid.describe("The id in the answer to the call"),
});
