/** The values of `format` in JSON Schemas. Each takes time in proportion to the text. */
const DATE = /^\d{4}-\d\d-\d\d$/;
const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const EMAIL = /^[^\s@]{1,64}@(?:localhost|[^\s@.]+(?:\.[^\s@.]+)+)$/;
const LONGEST_EMAIL = 254;
const LONGEST_URI = 2_048;

/** Whether the text is a day of the calendar. */
function isDate(text: string): boolean {
  if (!DATE.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

export const FORMAT_NAMES = ["date", "time", "date-time", "email", "uuid", "uri"] as const;
export type Format = (typeof FORMAT_NAMES)[number];

export const FORMATS: Record<Format, (text: string) => boolean> = {
  date: isDate,
  time: (text) => TIME.test(text),
  "date-time": (text) => /^[Tt]$/.test(text.charAt(10)) && isDate(text.slice(0, 10)) && TIME.test(text.slice(11)),
  email: (text) => text.length <= LONGEST_EMAIL && EMAIL.test(text),
  uuid: (text) => UUID.test(text),
  uri: (text) => text.length <= LONGEST_URI && !/\s/.test(text) && URL.canParse(text),
};
