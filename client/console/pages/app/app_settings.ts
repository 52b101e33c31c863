/** The settings of an app as a form holds them. */
import type { Client } from "../../../mod.ts";

type App = Awaited<ReturnType<Client["apps"]["find"]["query"]>>;

export const formOf = (app: App) => ({
  name: app.name,
  url_code: app.url_code ?? "",
  description: app.description ?? "",
  prompt: app.prompt ?? "",
  department_id: app.department_id,
  public: app.public,
  active: app.active,
  dashboard_widget: app.dashboard_widget,
  placed: {
    show_in_module: app.show_in_module,
    position: app.position,
    embed_width: app.embed_width,
    embed_height: app.embed_height,
  },
});
export type Form = ReturnType<typeof formOf>;

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The fields of a form that differ from another. */
export const changesOf = (form: Form, base: Form): Partial<Form> =>
  Object.fromEntries(Object.entries(form).filter(([name, value]) => !same(value, Reflect.get(base, name))));

/** The changes as the API takes them. */
export function sentOf({ placed, ...rest }: Partial<Form>) {
  return {
    ...rest,
    ...placed,
    ...rest.description !== undefined && { description: rest.description || null },
    ...rest.prompt !== undefined && { prompt: rest.prompt || null },
  };
}
