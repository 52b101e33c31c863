import { z } from "zod";
import { ROLES } from "../../viewer.ts";
import { LIMIT_NAMES, RateLimits } from "../../fairness/rate_limits.ts";
import { Id, Name } from "../../input/shapes.ts";

export const Mode = z.enum(["open", "restricted"])
  .describe("restricted: users see only objects of their own departments");

export const AccountName = Name.meta({ examples: ["Example Ltd"] });

/** How members sign in with OpenID Connect. */
const SignInSettings = z.object({
  oidc_creates_users: z.boolean().describe(
    "Whether a first sign-in with OpenID Connect creates a user, if the provider has verified the e-mail address",
  ).meta({ examples: [false] }),
  oidc_only: z.boolean().describe(
    "Whether passwords, passkeys, and links of invitations and resets are refused. An admin must have signed in with OpenID Connect first",
  ).meta({ examples: [false] }),
});
export type SignInSettings = z.output<typeof SignInSettings>;

/** An account in answers. */
export const Account = z.object({
  id: Id,
  name: AccountName,
  host: z.string().nullable().describe(
    "Sign-ins, and requests for public apps and public methods, to this host belong to this account. Only the oldest " +
      "account may take the host of the server's own address",
  )
    .meta({ examples: ["apps.example.com"] }),
  main_department_id: Id.nullable(),
  departments: z.object({ mode: Mode }),
  rate_limits: RateLimits.describe("The account's own limits a minute; those left out are the defaults")
    .meta({ examples: [{ requests: 12_000, compiles: null }] }),
  sign_in: SignInSettings,
});
export type Account = z.output<typeof Account>;

/** Without the final dot of a fully qualified name. */
export const Host = z.string().trim().toLowerCase().overwrite((host) => host.replace(/\.$/, "")).max(253)
  .regex(/^[a-z0-9.-]+(:\d{1,5})?$/)
  .meta({ examples: ["apps.example.com"] });

export const AccountChanges = z.object({
  name: AccountName,
  host: z.union([z.literal("").transform(() => null), Host]).nullable()
    .meta({ examples: ["apps.example.com"] }),
  main_department_id: Id,
  departments: z.object({ mode: Mode }),
  rate_limits: RateLimits.describe("Replaces the account's own limits; null removes a limit")
    .meta({ examples: [{ requests: 12_000, compiles: null }] }),
  sign_in: SignInSettings.partial(),
}).partial();
export type AccountChanges = z.output<typeof AccountChanges>;

const ReleaseId = z.string().describe(
  "Names the sources that the server runs; a new version of the server has another one",
)
  .meta({ examples: ["4f1c2a9d1e550a7b"] });

/** Who calls: the signed-in user, as far as a page or a program needs to know itself. */
export const Me = z.object({
  user: z.object({
    id: Id,
    login: z.string().meta({ examples: ["ada"] }),
    email: z.string().meta({ examples: ["ada@example.com"] }),
    name: z.string().meta({ examples: ["Ada Example"] }),
    role: z.enum(ROLES),
    without_department: z.boolean().meta({ examples: [true] }),
  }),
  departments: z.array(z.object({ id: Id, name: z.string().meta({ examples: ["Sales"] }) })).describe(
    "The user's departments, by name",
  ),
  scopes: z.array(z.string()).nullable().describe(
    "The scopes of the token; null means everything that the role may do",
  ),
  session_id: Id.nullable().describe("The session; null for a caller with a token"),
  assistant: z.boolean().describe("Whether this server has a language model that helps with apps' sources").meta({
    examples: [false],
  }),
  operator: z.boolean().describe("Whether the user may see figures of the whole server (`operations`)").meta({
    examples: [false],
  }),
  account: Account,
  release: ReleaseId,
});
export type Me = z.output<typeof Me>;

const Most = z.int().min(1).nullable();

export const LimitsInForce = z.object({
  window_s: z.int().describe("The length of the time that rates are counted in").meta({ examples: [60] }),
  rates: z.array(z.object({
    name: z.enum(LIMIT_NAMES).meta({ examples: ["writes"] }),
    limit: Most.describe("In force for the caller, or for the account (`account_…`); null: none")
      .meta({ examples: [3_000] }),
    default: z.int().meta({ examples: [3_000] }),
    own: z.boolean().describe("Whether the account has set it").meta({ examples: [false] }),
    used: z.int().min(0).describe("Used of it now, in the process that answers").meta({ examples: [12] }),
  })),
  runs: z.object({
    in_progress: z.int().min(0).describe("Runs that are executed or about to be").meta({ examples: [2] }),
    most: z.int().describe("The most of them, in one process").meta({ examples: [10_000] }),
    waiting: z.int().min(0).describe("Runs that wait at a step, or until other runs of their flow have ended")
      .meta({ examples: [1] }),
    most_waiting: z.int().describe("The most of them, in all processes").meta({ examples: [10_000] }),
    at_once: z.int().describe("The most that a process works on at once").meta({ examples: [50] }),
    minutes: z.int().describe("A run is ended after this time").meta({ examples: [10] }),
  }),
});
export type LimitsInForce = z.output<typeof LimitsInForce>;

const Version = z.string().meta({ examples: ["2.9.6"] });
const Licence = z.string().describe("SPDX expression").meta({ examples: ["MIT"] });

/** A package that the server uses or ships. */
export const Package = z.object({
  name: z.string().meta({ examples: ["svelte"] }),
  version: Version,
  licence: Licence,
  used_by: z.array(z.enum(["server", "console", "apps"])).describe(
    "`apps`: it, or a package that needs it, is shipped to apps",
  ),
  direct: z.boolean().describe("False for a package that another one needs").meta({ examples: [true] }),
});

export const About = z.object({
  name: z.string().meta({ examples: ["Atrium"] }),
  version: z.string().meta({ examples: ["0.1.0"] }),
  licence: Licence,
  release: ReleaseId,
  runtime: z.array(z.object({ name: z.string().meta({ examples: ["Deno"] }), version: Version, licence: Licence }))
    .describe(
      "Deno, and the database",
    ),
  packages: z.array(Package).describe("By name"),
});
export type About = z.output<typeof About>;
