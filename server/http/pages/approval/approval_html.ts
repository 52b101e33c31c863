/** The HTML of the page on which people without a login answer a run's question. It works without JavaScript. */
import type { Approval, Field } from "../../../domains/approvals/schema.ts";
import { text } from "../page_html.ts";
import { page, type SignInParts } from "../sign_in/sign_in_html.ts";

export const PATH = "/approval";
/** Before the names of the form's fields, so that none can be the choice or the token. */
export const FIELD = "value.";

export function approvalHtml(
  parts: SignInParts,
  { question, choices, form }: Approval,
  token: string,
  values: Readonly<Record<string, unknown>>,
  faults: readonly string[],
): string {
  const said = faults.length === 0 ? "" : `<p class="fault" role="alert">${faults.map(text).join("<br>")}</p>\n`;
  const fields = Object.entries(form).map(([name, field]) => fieldHtml(name, field, values[name])).join("\n");
  const buttons = choices.map((choice, index) =>
    `<button name="choice" value="${text(choice)}"${index === 0 ? "" : ` class="plain"`}>${text(choice)}</button>`
  ).join("\n");
  return page(
    "Question",
    parts,
    `<p>${text(question).replaceAll("\n", "<br>")}</p>
${said}<form method="post" action="${PATH}">
<input type="hidden" name="token" value="${text(token)}">
${fields}
${buttons}
</form>`,
  );
}

function fieldHtml(name: string, { type, label = name, required }: Field, value: unknown): string {
  const field = `name="${text(`${FIELD}${name}`)}"`;
  if (type === "boolean") {
    return `<label>${text(label)}<input ${field} type="checkbox" value="true"${
      value === true ? " checked" : ""
    }></label>`;
  }
  const shown = typeof value === "string" || typeof value === "number" ? ` value="${text(String(value))}"` : "";
  const number = type === "number" ? ` inputmode="decimal"` : "";
  return `<label>${text(label)}<input ${field}${shown}${number}${required ? " required" : ""}></label>`;
}

/** The page after the answer, and the one of a link that cannot be used. */
export const saidHtml = (parts: SignInParts, title: string, message: string, is_fault: boolean): string =>
  page(title, parts, `<p${is_fault ? ` class="fault" role="alert"` : ""}>${text(message)}</p>`);
