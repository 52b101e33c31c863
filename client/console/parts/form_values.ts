/** The values of a form by field, as texts. */
type Values = Record<string, string>;

/** The fields of a form that differ from what is saved. */
export const typedIn = <Form extends Values>(form: Form, saved: Form): Partial<Form> =>
  keepIf(form, (name, value) => value !== saved[name]);

/** As `typedIn`. @returns undefined if nothing differs */
export function unsavedIn<Form extends Values>(form: Form, saved: Form): Partial<Form> | undefined {
  const typed = typedIn(form, saved);
  return Object.keys(typed).length > 0 ? typed : undefined;
}

/**
 * What a form shows once its object was read again: the saved values, except for what was typed before and has not been
 * sent.
 *
 * @param before the saved values that the form has followed so far
 * @param sent what this form has saved
 */
export const following = <Form extends Values>(
  form: Form,
  before: Form,
  saved: Form,
  sent: Partial<Form> = {},
): Form => ({
  ...saved,
  ...keepIf(form, (name, value) => value !== (name in sent ? sent[name] : before[name])),
});

function keepIf<Form extends Values>(form: Form, wanted: (name: keyof Form, value: string) => boolean): Partial<Form> {
  const kept: Partial<Form> = { ...form };
  for (const name in form) {
    if (!wanted(name, form[name] ?? "")) delete kept[name];
  }
  return kept;
}
