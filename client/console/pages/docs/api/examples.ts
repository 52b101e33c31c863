/** Examples of one request in three languages. The tests run them. */
import { isStream, type Operation } from "./openapi.ts";
import { inputOf, requestOf, type Values } from "./request.ts";

export const LANGUAGES = [
  { id: "curl", name: "curl", language: "sh" },
  { id: "fetch", name: "fetch", language: "js" },
  { id: "client", name: "Typed client", language: "ts" },
] as const;

export type ExampleId = (typeof LANGUAGES)[number]["id"];

/** Longer values are spread over lines. */
const WIDTH = 76;

/**
 * @param base_url such as `https://atrium.example.com`
 * @returns `client` is undefined where the operation is no procedure
 * @throws {SyntaxError} where an object or a JSON body is no JSON
 */
export function examplesOf(
  operation: Operation,
  values: Values,
  base_url: string,
): Record<ExampleId, string | undefined> {
  return {
    curl: curlOf(operation, values, base_url),
    fetch: fetchOf(operation, values, base_url),
    // The typed client sends JSON, which carries no files.
    client: operation.procedure && Object.keys(values.files ?? {}).length === 0
      ? clientOf(operation, values, base_url)
      : undefined,
  };
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function curlOf(operation: Operation, values: Values, base_url: string): string {
  const { method, path, headers, content_type, body, form } = requestOf(operation, values);
  const implied = body === undefined && !form ? "GET" : "POST";
  const address = base_url + path;
  const first = ["curl", isStream(operation) ? "-N" : "-s", ...(method === implied ? [] : ["-X", method])];
  const lines = [
    `${first.join(" ")} ${/[^\w:/.~@=-]/.test(address) ? quoted(address) : address}`,
    ...(operation.takes_token ? [`-H "Authorization: Bearer $ATRIUM_TOKEN"`] : []),
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(content_type === undefined || form || content_type === "application/x-www-form-urlencoded"
      ? []
      : [`-H "Content-Type: ${content_type}"`]),
    ...(body === undefined ? [] : [`-d ${quoted(compact(body))}`]),
    ...(form ?? []).map(([name, value]) =>
      typeof value === "string"
        ? `--form-string ${quoted(`${name}=${value}`)}`
        : `-F ${quoted(`${name}=@${value.name}`)}`
    ),
  ];
  return lines.join(" \\\n  ");
}

/** JSON on one line where it is short. */
function compact(body: string): string {
  try {
    const line = JSON.stringify(JSON.parse(body));
    return line.length <= WIDTH ? line : body;
  } catch {
    return body;
  }
}

function fetchOf(operation: Operation, values: Values, base_url: string): string {
  const { method, path, headers, content_type, body, form } = requestOf(operation, values);
  const sent = [
    ...(operation.takes_token ? ["authorization: `Bearer ${token}`"] : []),
    ...(content_type === undefined || form ? [] : [`"content-type": ${JSON.stringify(content_type)}`]),
    ...Object.entries(headers).map(([name, value]) =>
      `${JSON.stringify(name.toLowerCase())}: ${JSON.stringify(value)}`
    ),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: ${JSON.stringify(method)}`]),
    ...(sent.length === 0 ? [] : [`headers: { ${sent.join(", ")} }`]),
    ...(body === undefined ? [] : [`body: ${sentBody(body, content_type)}`]),
    ...(form ? ["body: form"] : []),
  ];
  const address = JSON.stringify(base_url + path);
  const call = options.length === 0 ? address : `${address}, {\n  ${options.join(",\n  ")},\n}`;
  const parts = (form ?? []).map(([name, value]) =>
    `form.append(${JSON.stringify(name)}, ${typeof value === "string" ? JSON.stringify(value) : "file"});\n`
  );
  const before = form ? `const form = new FormData();\n${parts.join("")}` : "";
  return `${before}const response = await fetch(${call});\n${answerOf(operation)}`;
}

const sentBody = (body: string, content_type: string | undefined): string =>
  content_type === "application/json"
    ? body === "" ? `""` : `JSON.stringify(${literal(JSON.parse(body), "  ")})`
    : JSON.stringify(body);

/** What a program does with the answer. */
function answerOf(operation: Operation): string {
  if (isStream(operation)) {
    return "for await (const text of response.body.pipeThrough(new TextDecoderStream())) console.log(text);";
  }
  const refused = "if (!response.ok) throw new Error(await response.text());";
  const types = operation.answers.flatMap(({ content }) => content.map(({ type }) => type));
  if (types.length === 0) return refused;
  return `${refused}\nconsole.log(await response.${types.includes("application/json") ? "json" : "text"}());`;
}

/** The lines before the call. */
export const clientSetup = (base_url: string): string =>
  `import { createClient } from "./client/mod.ts";\n\n` +
  `const atrium = createClient({ url: ${JSON.stringify(base_url)}, token: "atr_…" });\n`;

function clientOf(operation: Operation, values: Values, base_url: string): string {
  const { procedure, parameters, bodies, answers } = operation;
  const verb = procedure?.type === "query" ? "query" : "mutate";
  const input = parameters.length + bodies.length > 0 ? literal(inputOf(operation, values), "") : "";
  const call = `await atrium.${procedure?.name}.${verb}(${input})`;
  const answers_nothing = answers.every(({ content }) => content.length === 0);
  return `${clientSetup(base_url)}${answers_nothing ? `${call};` : `console.log(${call});`}`;
}

/** A value as JavaScript, on one line where it is short. @param indent of the line on which it begins */
export function literal(value: unknown, indent: string): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const is_list = Array.isArray(value);
  const parts = is_list
    ? value.map((item) => literal(item, inner))
    : Object.entries(value).map(([key, item]) => `${keyOf(key)}: ${literal(item, inner)}`);
  const [open, close] = is_list ? ["[", "]"] : ["{", "}"];
  if (parts.length === 0) return open + close;
  const line = parts.join(", ");
  if (line.length <= WIDTH && !line.includes("\n")) return is_list ? `[${line}]` : `{ ${line} }`;
  return `${open}\n${parts.map((part) => `${inner}${part},\n`).join("")}${indent}${close}`;
}

const keyOf = (key: string) => /^[A-Za-z_$][\w$]*$/.test(key) && key !== "__proto__" ? key : JSON.stringify(key);
