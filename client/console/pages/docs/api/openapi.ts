/** The operations of `/openapi.json`, with its references resolved. */

/** The part of JSON Schema that the server's document uses. */
export interface Schema {
  type?: string | string[];
  format?: string;
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  $ref?: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: Schema;
  example?: unknown;
}

export interface Content {
  /** `application/json` */
  type: string;
  schema: Schema;
  example?: unknown;
}

export interface Reply {
  status: string;
  description: string;
  headers: string[];
  content: Content[];
}

export interface Operation {
  /** `departments.list`, or `export_csv` where it is no procedure. */
  id: string;
  /** In capitals. */
  method: string;
  /** `/account/departments/{id}.json` */
  path: string;
  tag: string;
  summary: string;
  description: string;
  parameters: Parameter[];
  /** Empty where it takes no body. */
  bodies: Content[];
  /** Successes and redirections. */
  answers: Reply[];
  errors: Reply[];
  takes_token: boolean;
  needs_token: boolean;
  /** What the typed client calls. `body` names the part of the input that is the whole body. */
  procedure: { name: string; type: "query" | "mutation"; body?: string } | undefined;
  role: string | undefined;
  scope: string | undefined;
}

type Media = Record<string, { schema?: Schema; example?: unknown }>;
interface SentReply {
  $ref?: string;
  description?: string;
  headers?: Record<string, unknown>;
  content?: Media;
}
interface SentOperation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: Record<string, string[]>[];
  parameters?: Parameter[];
  requestBody?: { content: Media };
  responses: Record<string, SentReply>;
  "x-procedure"?: Operation["procedure"];
  "x-role"?: string;
  "x-scope"?: string | null;
}
/** As this server writes it. */
export interface OpenApi {
  paths: Record<string, Record<string, SentOperation>>;
  components: { responses: Record<string, SentReply>; schemas: Record<string, Schema> };
}

/** In the document's order. */
export const operationsOf = (document: OpenApi): Operation[] =>
  Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, sent]) => operationOf(document, path, method.toUpperCase(), sent))
  );

function operationOf(document: OpenApi, path: string, method: string, sent: SentOperation): Operation {
  const replies = Object.entries(sent.responses).map(([status, reply]) => replyOf(document, status, reply));
  return {
    id: sent.operationId,
    method,
    path,
    tag: sent.tags[0] ?? "",
    summary: sent.summary,
    description: withoutScope(sent),
    parameters: sent.parameters ?? [],
    bodies: contentOf(document, sent.requestBody?.content),
    answers: replies.filter(({ status }) => status < "400"),
    errors: replies.filter(({ status }) => status >= "400"),
    takes_token: sent.security.some((each) => "token" in each),
    needs_token: sent.security.every((each) => "token" in each),
    procedure: sent["x-procedure"],
    role: sent["x-role"],
    scope: sent["x-scope"] ?? undefined,
  };
}

/** Role and scope are shown by themselves. */
const withoutScope = ({ description = "", "x-role": role }: SentOperation): string =>
  role ? description.replace(/(?:^|\n\n)(?:Role: \w+\. )?Scope: `[\w:]+`\.$/, "") : description;

function replyOf(document: OpenApi, status: string, reply: SentReply): Reply {
  const { description = "", headers = {}, content } = document.components.responses[nameOf(reply)] ?? reply;
  return { status, description, headers: Object.keys(headers), content: contentOf(document, content) };
}

const nameOf = ({ $ref }: { $ref?: string }) => $ref?.split("/").at(-1) ?? "";

const contentOf = (document: OpenApi, content: Media = {}): Content[] =>
  Object.entries(content).map(([type, { schema = {}, example }]) => ({
    type,
    schema: document.components.schemas[nameOf(schema)] ?? schema,
    ...(example !== undefined && { example }),
  }));

/** Where the console has another word than the API. */
const TAG_NAMES: Record<string, string> = {
  audit: "Audit log",
  console: "Console pages",
  crons: "Triggers",
  dbs: "Databases",
  embeds: "Embedded apps",
  files: "Pages and files",
  flow_processes: "Runs",
  public: "Public methods",
  user_settings: "Users",
};

/** A tag as a heading. */
export const tagName = (tag: string): string =>
  TAG_NAMES[tag] ?? (tag[0] ?? "").toUpperCase() + tag.slice(1).replaceAll("_", " ");

/** Whether an answer may have no end. */
export const isStream = ({ answers }: Operation): boolean =>
  answers.some(({ content }) => content.some(({ type }) => type === "text/event-stream"));
