/** `/approval`: people without a login answer the question of a run, by a signed link. */
import { answerOnce } from "../../../domains/approvals/answer.ts";
import { findByLink } from "../../../domains/approvals/queries.ts";
import { type Approval, type Field, NewAnswer } from "../../../domains/approvals/schema.ts";
import { countWrongLink } from "../../../domains/sessions/attempts.ts";
import { type Fields, Refusal } from "../../../errors.ts";
import { fieldsOf } from "../../../input/messages.ts";
import { readApproval } from "../../../secrets/approval_links.ts";
import { queryOf } from "../../address.ts";
import { stamp } from "../../answers.ts";
import type { HttpContext } from "../../http_context.ts";
import type { PlainRoute } from "../../plain_route.ts";
import { FORM_TYPE, readForm } from "../../read_form.ts";
import { JSON_LIMIT } from "../../rest/body.ts";
import { HEADERS } from "../sign_in/sign_in.ts";
import type { SignInParts } from "../sign_in/sign_in_html.ts";
import { approvalHtml, FIELD, PATH, saidHtml } from "./approval_html.ts";

/** The address of the page contains the token; `strict-origin` keeps it out of every `Referer`. */
const APPROVAL_HEADERS = { ...HEADERS, "referrer-policy": "strict-origin" };
const PAGE = { "text/html": {} };
const GONE = {
  description: "The link is wrong, or the approval was answered, has expired, or its run has ended",
  content: PAGE,
};
const TOO_MANY = { description: "Too many wrong links from this address", content: PAGE };

export const APPROVAL_PAGES: readonly PlainRoute[] = [
  {
    method: "GET",
    path: PATH,
    name: "open_approval",
    tag: "files",
    summary: "Open the page of a question",
    description: "The question of a run, for people without a login. Opening it answers nothing.",
    callers: "everyone",
    parameters: [{ in: "query", name: "token", example: "…", description: "From the link" }],
    replies: { 200: { description: "The question with its form", content: PAGE }, 404: GONE, 429: TOO_MANY },
    refuses: [503],
    answer: open,
  },
  {
    method: "POST",
    path: PATH,
    name: "answer_approval",
    tag: "files",
    summary: "Answer a question by its link",
    description: "Takes `token`, `choice` and the fields of the form, each with `value.` before its name.",
    callers: "everyone",
    body: { [FORM_TYPE]: { shape: { type: "object" } } },
    replies: {
      200: { description: "The answer is stored", content: PAGE },
      404: GONE,
      422: { description: "The form again: the answer is refused", content: PAGE },
      429: TOO_MANY,
    },
    refuses: [413, 415, 503],
    answer,
  },
];

const OVER = "This question cannot be answered any more: it was answered, or its time is over.";

async function open(context: HttpContext): Promise<Response> {
  const token = queryOf(context.call.request.url).get("token") ?? "";
  return await answered(context, async () => {
    const found = await find(context, token);
    return found?.open
      ? html(context, 200, approvalHtml(siteOf(context, found.account), found, token, {}, []))
      : over(context);
  });
}

async function answer(context: HttpContext): Promise<Response> {
  return await answered(context, async () => {
    // As many bytes as the same answer may have in JSON: a text has 10,000 characters, of 1 to 12 bytes each in a form.
    const fields = await readForm(context, JSON_LIMIT);
    const token = fields.get("token") ?? "";
    const found = await find(context, token);
    if (!found?.open) return over(context);
    const { account_id, account, open: _, ...approval } = found;
    const values = Object.fromEntries(
      Object.entries(approval.form).flatMap(([name, field]) => {
        const value = valueOf(field, fields.get(`${FIELD}${name}`));
        return value === undefined ? [] : [[name, value]];
      }),
    );
    const again = (fields: Fields) => {
      const faults = Object.entries(fields).map(([path, messages]) =>
        `${labelOf(approval, path)} ${messages.join(", ")}`
      );
      return html(context, 422, approvalHtml(siteOf(context, account), approval, token, values, faults));
    };
    const read = NewAnswer.safeParse({ id: approval.id, choice: fields.get("choice") ?? "", values });
    if (!read.success) return again(fieldsOf(read.error.issues));
    try {
      await answerOnce(context, account_id, approval, read.data, null);
    } catch (error) {
      if (error instanceof Refusal && error.status === 409) return over(context);
      if (!(error instanceof Refusal) || !error.fields) throw error;
      return again(error.fields);
    }
    return html(
      context,
      200,
      saidHtml(siteOf(context, account), "Thank you", "Thank you. Your answer is stored.", false),
    );
  });
}

/** A field of the form as the page shows it. @param path of the answer, such as `values.note` */
function labelOf({ form }: Approval, path: string): string {
  const name = path.replace(/^values\./, "");
  return path !== name && Object.hasOwn(form, name) ? form[name]?.label ?? name : name;
}

/** A text that is no number stays a text, which is refused. */
function valueOf({ type }: Field, sent: string | null): string | number | boolean | undefined {
  if (type === "boolean") return sent === "true";
  if (sent === null || (type === "number" ? sent.trim() : sent) === "") return undefined;
  // 1,234 is another number in English than in German.
  if (type !== "number" || /^\s*-?\d{1,3}(?:,\d{3})+\s*$/.test(sent)) return sent;
  const number = Number(sent.replace(",", "."));
  return Number.isFinite(number) ? number : sent;
}

/** @throws {Refusal} 429 after too many wrong links from the caller's address */
async function find({ sql, keys, call }: HttpContext, token: string) {
  const id = readApproval(keys, token);
  if (id === undefined) await countWrongLink(sql, call);
  return id === undefined ? undefined : await findByLink(sql, id);
}

/** Shows a refusal as a page. */
async function answered(context: HttpContext, work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal) || ![413, 415, 429].includes(error.status)) throw error;
    return html(
      context,
      error.status,
      saidHtml(siteOf(context, "Atrium"), "Question", `${error.message}.`, true),
      error.headers,
    );
  }
}

const over = (context: HttpContext) => html(context, 404, saidHtml(siteOf(context, "Atrium"), "Question", OVER, true));

const siteOf = ({ config }: HttpContext, account: string): SignInParts => ({
  account,
  site: config.base_url.replace(/^https?:\/\//, ""),
});

const html = ({ call }: HttpContext, status: number, text: string, headers?: Record<string, string>) =>
  new Response(text, { status, headers: { ...APPROVAL_HEADERS, ...headers, ...stamp(call) } });
