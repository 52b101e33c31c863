/** The fields of a department's form, and what a save sends. */
import type { Client } from "../../../mod.ts";

export type Department = Awaited<ReturnType<Client["departments"]["find"]["query"]>>;

export interface Field {
  name: FieldName;
  label: string;
  type?: "email" | "tel" | "url";
  /** Columns of twelve. */
  span: number;
  hint?: string;
}

const NAMES = [
  "name",
  "shortcut",
  "email",
  "phone",
  "description",
  "company_name",
  "company_tax_no",
  "company_street",
  "company_street_number",
  "company_post_code",
  "company_city",
  "company_country",
  "company_email",
  "company_phone",
  "company_website",
  "company_bank",
  "company_bank_account",
  "company_logo",
] as const;
export type FieldName = (typeof NAMES)[number];
export type Form = Record<FieldName, string>;

export const CONTACT: readonly Field[] = [
  { name: "name", label: "Name", span: 8 },
  { name: "shortcut", label: "Shortcut", span: 4 },
  { name: "email", label: "E-mail", type: "email", span: 8 },
  { name: "phone", label: "Phone", type: "tel", span: 4 },
];

export const COMPANY: readonly Field[] = [
  { name: "company_name", label: "Company", span: 8 },
  { name: "company_tax_no", label: "Tax number", span: 4 },
  { name: "company_street", label: "Street", span: 8 },
  { name: "company_street_number", label: "Number", span: 4 },
  { name: "company_post_code", label: "Postal code", span: 3 },
  { name: "company_city", label: "City", span: 5 },
  { name: "company_country", label: "Country", span: 4 },
  { name: "company_email", label: "Company e-mail", type: "email", span: 8 },
  { name: "company_phone", label: "Company phone", type: "tel", span: 4 },
  { name: "company_website", label: "Website", type: "url", span: 12 },
  { name: "company_bank", label: "Bank", span: 4, hint: "On invoices, not in the mail footer" },
  { name: "company_bank_account", label: "Bank account", span: 8 },
];

const LABELS: Record<string, string> = {
  ...Object.fromEntries([...CONTACT, ...COMPANY].map(({ name, label }) => [name, label])),
  description: "Description",
  company_logo: "Address of a logo elsewhere",
};
export const labelOf = (name: string): string => LABELS[name] ?? name;

const textOf = (value: string | null | undefined): string => value ?? "";

/** The values as the form holds them: null is an empty text. */
export const formOf = (department?: Department): Form => ({
  name: textOf(department?.name),
  shortcut: textOf(department?.shortcut),
  email: textOf(department?.email),
  phone: textOf(department?.phone),
  description: textOf(department?.description),
  company_name: textOf(department?.company_name),
  company_tax_no: textOf(department?.company_tax_no),
  company_street: textOf(department?.company_street),
  company_street_number: textOf(department?.company_street_number),
  company_post_code: textOf(department?.company_post_code),
  company_city: textOf(department?.company_city),
  company_country: textOf(department?.company_country),
  company_email: textOf(department?.company_email),
  company_phone: textOf(department?.company_phone),
  company_website: textOf(department?.company_website),
  company_bank: textOf(department?.company_bank),
  company_bank_account: textOf(department?.company_bank_account),
  company_logo: textOf(department?.company_logo),
});

/** The fields in which two forms differ. */
export const differing = (form: Form, base: Form): FieldName[] => NAMES.filter((name) => form[name] !== base[name]);

/** What a save sends: changed fields only, so that others' changes to the rest stay. */
export function changesOf(form: Form, names: readonly FieldName[]): Partial<Record<FieldName, string | null>> & {
  name?: string;
} {
  const { name, ...rest } = form;
  const sent = Object.fromEntries(
    Object.entries(rest).filter(([field]) => names.some((changed) => changed === field))
      .map(([field, value]) => [field, value === "" ? null : value]),
  );
  return names.includes("name") ? { ...sent, name } : sent;
}

/**
 * Moves what was typed onto a newer state: fields that were not touched take the newer value.
 *
 * @returns the form, and the fields that both have changed differently
 */
export function rebased(form: Form, base: Form, newer: Form): { form: Form; disputed: FieldName[] } {
  const mine = differing(form, base);
  const merged = { ...newer };
  for (const name of mine) merged[name] = form[name];
  return { form: merged, disputed: mine.filter((name) => newer[name] !== base[name] && newer[name] !== form[name]) };
}
