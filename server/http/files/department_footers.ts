/** Mail footers of departments. */
import { footerHtml, FooterOptions, footerText, logoOf } from "../../domains/departments/footer.ts";
import { readDepartment } from "../../domains/departments/queries.ts";
import type { Department } from "../../domains/departments/schema.ts";
import { notFound } from "../../errors.ts";
import { Id } from "../../input/shapes.ts";
import { proveRole } from "../../viewer.ts";
import { CORS, stamp } from "../answers.ts";
import type { HttpContext } from "../http_context.ts";
import type { Parameter, PlainRoute } from "../plain_route.ts";
import { parametersOf, proveNames, readQuery } from "../read_query.ts";
import type { Params } from "../route_table.ts";

const ID: Parameter = { in: "path", name: "id", example: 1, description: "Of the department" };

const SHOWN =
  "Logo, name, company, address, phones, e-mail addresses and website, as far as the department has them. " +
  "Scope: `departments:read`.";

export const DEPARTMENT_FOOTERS: readonly PlainRoute[] = [
  {
    method: "GET",
    path: "/account/departments/:id/footer.html",
    name: "read_department_footer",
    tag: "departments",
    summary: "Read a department's mail footer",
    description: "A table with inline styles, to put into mails. The logo is the uploaded one, otherwise " +
      `\`company_logo\`. ${SHOWN}`,
    callers: "viewers",
    parameters: [ID, ...parametersOf(FooterOptions)],
    replies: {
      200: {
        description: "The footer, without a document around it",
        content: { "text/html": { example: '<table role="presentation"><tr><td>…</td></tr></table>\n' } },
      },
    },
    refuses: [400, 401, 403, 404, 429, 500, 503],
    async answer(context, params) {
      const department = await departmentOf(context, params);
      proveNames(Object.keys(FooterOptions.shape), context.call.request.url);
      const { width } = readQuery(FooterOptions, context.call.request.url);
      const policy = `default-src 'none'; img-src ${sourceOf(logoOf(department))}; style-src-attr 'unsafe-inline'; ` +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox";
      return answer(context, "text/html", policy, footerHtml(department, width));
    },
  },
  {
    method: "GET",
    path: "/account/departments/:id/footer.txt",
    name: "read_department_text_footer",
    tag: "departments",
    summary: "Read a department's mail footer as text",
    description: `Lines of at most 72 characters, without a logo, behind the line that separates signatures. ${SHOWN}`,
    callers: "viewers",
    parameters: [ID],
    replies: {
      200: {
        description: "The footer",
        content: { "text/plain": { example: "-- \nSales\nExample Ltd\n+48 22 000 00 10\n" } },
      },
    },
    refuses: [401, 403, 404, 429, 500, 503],
    answer: async (context, params) =>
      answer(
        context,
        "text/plain",
        "default-src 'none'; frame-ancestors 'self'; sandbox",
        footerText(await departmentOf(context, params)),
      ),
  },
];

/** @throws {Refusal} 401, 403, 404 */
async function departmentOf(context: HttpContext, { id = "" }: Params): Promise<Department> {
  const { account_id } = await proveRole(context, "manager", "departments:read");
  const { data } = Id.safeParse(/^[1-9]\d*$/.test(id) ? Number(id) : undefined);
  if (data === undefined) throw notFound("Department");
  return (await readDepartment(context.reads, account_id, context.config.base_url, data)).parse();
}

/** The only host from which the footer loads. A URL's host may contain signs that would end a directive. */
function sourceOf(logo: string | undefined): string {
  const origin = logo === undefined || !URL.canParse(logo) ? "" : new URL(logo).origin;
  return /^https?:\/\/[\w.:[\]-]+$/.test(origin) ? origin : "'none'";
}

const answer = ({ call }: HttpContext, type: string, policy: string, text: string): Response =>
  new Response(text, {
    headers: {
      ...CORS,
      ...stamp(call),
      "content-type": `${type}; charset=utf-8`,
      "content-security-policy": policy,
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    },
  });
