/**
 * A department's mail footer, as HTML and as text. Mail programs know neither style sheets nor flexible boxes, and
 * Outlook sizes an image by its `width` attribute only: hence a table with inline styles.
 */
import { z } from "zod";
import { escapeHtml } from "../../input/html.ts";
import type { Department } from "./schema.ts";

export const FooterOptions = z.object({
  width: z.int().min(16).max(600).default(160).describe("The displayed width of the logo in pixels"),
});

/** A line of the footer. */
interface Line {
  text: string;
  /** Where the text leads. */
  href?: string;
}

const SANS = "font-family:Arial,Helvetica,sans-serif;font-size:13px;line-height:18px;color:#24292f";

/** @param width of the logo in pixels */
export function footerHtml(department: Department, width: number): string {
  const logo = logoOf(department);
  const [name, ...lines] = linesOf(department).map(htmlOf);
  const image = logo && `<td valign="top" style="padding:0 16px 0 0">` +
      `<img src="${escapeHtml(logo)}" width="${width}" alt="${escapeHtml(altOf(department))}" border="0" ` +
      `style="display:block;width:${width}px;max-width:100%;height:auto;border:0"></td>\n`;
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="border-collapse:collapse">
<tr>
${image ?? ""}<td valign="top" style="${SANS}">
${[`<strong>${name}</strong>`, ...lines].join("<br>\n")}
</td>
</tr>
</table>
`;
}

const LONGEST_LINE = 72;

/** Begins with the line that separates a signature (RFC 3676, 4.3). */
export const footerText = (department: Department): string =>
  ["-- ", ...linesOf(department).flatMap(({ text }) => wrap(text)), ""].join("\n");

/** The address of the logo: the uploaded one goes before `company_logo`. Undefined without a logo. */
export const logoOf = ({ logo_url, company_logo }: Department): string | undefined =>
  logo_url ?? (webAddress(company_logo) || undefined);

const altOf = ({ name, company_name }: Department): string => plain(company_name) || plain(name);

/** Without blank lines, and without a line twice: a department often has its company's phone. */
function linesOf(department: Department): [Line, ...Line[]] {
  const { name, company_name, company_street, company_street_number } = department;
  const { company_post_code, company_city, company_country } = department;
  const town = joined(" ", company_post_code, company_city);
  const lines = [
    { text: plain(company_name) },
    { text: joined(" ", company_street, company_street_number) },
    { text: joined(", ", town, company_country) },
    ...[department.phone, department.company_phone].map(phoneLine),
    ...[department.email, department.company_email].map(emailLine),
    websiteLine(department.company_website),
  ];
  const first = { text: plain(name) };
  const seen = new Set(["", first.text]);
  return [first, ...lines.filter(({ text }) => !seen.has(text) && seen.add(text))];
}

/** One line: a field may contain line breaks and control characters. */
const plain = (value: string | null): string => (value ?? "").replace(/[\s\p{Cc}]+/gu, " ").trim();

const joined = (sign: string, ...values: (string | null)[]): string => values.map(plain).filter(Boolean).join(sign);

function phoneLine(value: string | null): Line {
  const text = plain(value);
  const number = text.replace(/[^\d+]/g, "");
  return /^\+?\d{3,}$/.test(number) ? { text, href: `tel:${number}` } : { text };
}

function emailLine(value: string | null): Line {
  const text = plain(value);
  return { text, href: `mailto:${encodeURIComponent(text).replaceAll("%40", "@")}` };
}

function websiteLine(value: string | null): Line {
  const href = webAddress(value);
  return { text: href.replace(/^https?:\/\//i, "").replace(/^([^/?#]+)\/$/, "$1"), href };
}

/** Empty where the value is not an http(s) address. */
const webAddress = (value: string | null): string => /^https?:\/\//i.test(value ?? "") ? plain(value) : "";

const htmlOf = ({ text, href }: Line): string =>
  href
    ? `<a href="${escapeHtml(href)}" style="color:#0b57d0;text-decoration:none">${escapeHtml(text)}</a>`
    : escapeHtml(text);

/** Breaks a line between words. A longer word, such as an address, stays whole. */
function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && [...last].length + 1 + [...word].length <= LONGEST_LINE) {
      lines[lines.length - 1] += ` ${word}`;
    } else lines.push(word);
  }
  return lines;
}
