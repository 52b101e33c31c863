/** The request that a person has filled in: parameters and body as texts, as in a form. */
import type { Content, Operation, Parameter, Schema } from "./openapi.ts";

export interface Values {
  /** By name; an empty text is not sent. */
  parameters: Record<string, string>;
  /** Undefined where the operation takes no body. */
  body: string | undefined;
  /** By the name of their field in a form. With files, the body is sent as a form. */
  files?: Record<string, File>;
}

export interface PlannedRequest {
  method: string;
  /** With its query. */
  path: string;
  /** Of the body; undefined without one. */
  content_type: string | undefined;
  /** Other headers. */
  headers: Record<string, string>;
  body: string | undefined;
  /** The fields of a multipart/form-data body, in place of `body`. */
  form: [name: string, value: string | File][] | undefined;
}

/** What examples begin with: the required parameters, and a short body. */
export function defaultsOf(operation: Operation): Values {
  const required = operation.parameters.filter((parameter) => parameter.required);
  return {
    parameters: Object.fromEntries(required.map((parameter) => [parameter.name, textOf(parameter)])),
    body: bodyTextOf(operation),
  };
}

/** The example of a parameter, as a person types it. */
export const textOf = ({ example, schema }: Parameter): string => {
  const value = example ?? schema.examples?.[0] ?? schema.enum?.[0];
  if (value === undefined || value === null) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

/** The body that examples send: JSON if it may be. */
export const bodyOf = ({ bodies }: Operation): Content | undefined =>
  bodies.find(({ type }) => type === "application/json") ?? bodies[0];

const FORM = "multipart/form-data";

/** The fields of an operation's form that take files. */
export function fileFieldsOf({ bodies }: Operation): string[] {
  const { properties = {} } = bodies.find(({ type }) => type === FORM)?.schema ?? {};
  return Object.entries(properties).filter(([, field]) => isFile(field)).map(([name]) => name);
}

const isFile = ({ format, anyOf = [] }: Schema): boolean => format === "binary" || anyOf.some(isFile);

function bodyTextOf(operation: Operation): string | undefined {
  const body = bodyOf(operation);
  if (!body) return undefined;
  if (body.type === "application/json") return JSON.stringify(briefly(operation, body), null, 2);
  if (body.type === "application/x-www-form-urlencoded") return formOf(body.schema);
  return typeof body.example === "string" ? body.example : "";
}

/** How many fields a new object has in an example, if fewer are required. */
const FEW = 3;

/** A change names one field, a new object the required ones and a few more. The schema shows the others. */
function briefly({ method }: Operation, { schema, example }: Content): unknown {
  if (!isObject(example)) return example ?? {};
  const entries = Object.entries(example);
  const [first] = entries;
  if (entries.length !== 1 || !first || !isObject(first[1])) return example;
  const [wrapper, inner] = first;
  const required = schema.properties?.[wrapper]?.required ?? [];
  const fields = Object.entries(inner).filter(([name]) => name !== "lock_version");
  const most = method === "POST" ? FEW : 1;
  const kept = fields.filter(([name], index) => required.includes(name) || index < most);
  return { [wrapper]: Object.fromEntries(kept) };
}

const formOf = ({ properties = {} }: Schema): string =>
  new URLSearchParams(
    Object.entries(properties).map(([name, { examples }]): [string, string] => [name, String(examples?.[0] ?? "…")]),
  ).toString();

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a parameter is an object: `filter[author]=Ada`. */
export const isDeep = ({ schema }: Parameter): boolean => schema.type === "object";

/** @throws {SyntaxError} where an object or a JSON body is no JSON */
export function requestOf(operation: Operation, { parameters, body, files = {} }: Values): PlannedRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let path = operation.path;
  for (const parameter of operation.parameters) {
    const text = parameters[parameter.name] ?? "";
    if (parameter.in === "path") path = path.replace(`{${parameter.name}}`, encodeURIComponent(text));
    else if (text === "") continue;
    else if (parameter.in === "header") headers[parameter.name] = text;
    else if (isDeep(parameter)) plant(query, parameter.name, JSON.parse(text));
    else query.append(parameter.name, text);
  }
  const content_type = body === undefined ? undefined : bodyOf(operation)?.type;
  if (content_type === "application/json" && body) JSON.parse(body);
  // Brackets and colons stand for themselves in the server's addresses.
  const search = query.toString().replace(/%5B/g, "[").replace(/%5D/g, "]").replace(/%2C/g, ",");
  const planned = { method: operation.method, path: path + (search && `?${search}`), headers };
  if (Object.keys(files).length === 0) return { ...planned, content_type, body, form: undefined };
  return { ...planned, content_type: FORM, body: undefined, form: [...fieldsOf(body), ...Object.entries(files)] };
}

/** A JSON body as the fields of a form: `department[name]`. */
function fieldsOf(body: string | undefined): [name: string, value: string][] {
  const fields = new URLSearchParams();
  const value: unknown = body ? JSON.parse(body) : {};
  for (const [name, inner] of Object.entries(isObject(value) ? value : {})) plant(fields, name, inner);
  return [...fields];
}

function plant(query: URLSearchParams, name: string, value: unknown): void {
  if (isObject(value)) { for (const [key, inner] of Object.entries(value)) plant(query, `${name}[${key}]`, inner); }
  else if (Array.isArray(value)) { for (const item of value) query.append(`${name}[]`, String(item)); }
  else query.append(name, value === null ? "" : String(value));
}

/** The input of the typed client. @throws {SyntaxError} as `requestOf` */
export function inputOf({ parameters, procedure }: Operation, values: Values): Record<string, unknown> {
  const input: Record<string, unknown> = {};
  for (const parameter of parameters) {
    const text = values.parameters[parameter.name] ?? "";
    if (text === "") continue;
    const name = parameter.in === "header" ? parameter.name.toLowerCase().replaceAll("-", "_") : parameter.name;
    input[name] = typed(parameter, text);
  }
  const body: unknown = values.body ? JSON.parse(values.body) : undefined;
  if (procedure?.body !== undefined) return { ...input, [procedure.body]: body ?? {} };
  return isObject(body) ? { ...input, ...body } : input;
}

function typed(parameter: Parameter, text: string): unknown {
  if (isDeep(parameter)) return JSON.parse(text);
  const types = [parameter.schema, ...parameter.schema.anyOf ?? []].flatMap(({ type }) => type ?? []);
  if ((types.includes("integer") || types.includes("number")) && !Number.isNaN(Number(text))) return Number(text);
  if (types.includes("boolean") && /^(true|false)$/.test(text)) return text === "true";
  return text;
}
