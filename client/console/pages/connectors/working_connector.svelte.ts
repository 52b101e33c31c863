/** A connector that is being edited: what was typed survives a reload, the secret does not leave the page before a save. */
import { api, troubleOf } from "../../api.ts";
import { notify } from "../../notices.svelte.ts";
import { go, here, setQuery } from "../../router.svelte.ts";
import { mayEdit, ownDepartment } from "../../session.svelte.ts";
import { type Connector, differing, type Form, formOf, rebased, sentOf, wordOf } from "./connector_form.ts";

type Errors = Record<string, string[]>;

export type WorkingConnector = ReturnType<typeof editConnector>;

export function editConnector(id: string) {
  const is_new = id === "new";
  const draft_key = `connector_draft:${id}`;
  let connector = $state.raw<Connector>();
  /** As the server has it. */
  let base = $state.raw<Form>(blank());
  let form = $state<Form>(blank());
  /** Undefined keeps the stored secret, null removes it. */
  let secret = $state<string | null>();
  let errors = $state.raw<Errors>({});
  let trouble = $state.raw<{ message: string; status: number }>();
  let saving = $state(false);
  let restored = $state(false);
  /** The first keys of methods that a save has named otherwise. */
  const first_keys = new Map<string, string>();
  const identityOf = (key: string) => first_keys.get(key) ?? key;

  const changed = $derived(differing(form, base));
  const dirty = $derived(changed.length > 0 || secret !== undefined);

  async function load(): Promise<void> {
    try {
      if (!is_new) adopt(await api.connectors.find.query({ id: Number(id) }));
      if (!restored) restore();
      restored = true;
      trouble = undefined;
    } catch (error) {
      trouble = troubleOf(error);
    }
  }

  /** Takes a newer state of the server; what was typed stays. @returns what both have changed */
  function adopt(newer: Connector, from: Form = base): string[] {
    const merged = rebased($state.snapshot(form), from, formOf(newer));
    connector = newer;
    base = formOf(newer);
    form = merged.form;
    return merged.disputed;
  }

  function restore(): void {
    const kept = sessionStorage.getItem(draft_key);
    if (!kept || !mayEdit()) return;
    const draft: { form: Form; base: Form } = JSON.parse(kept);
    const merged = rebased(draft.form, draft.base, base);
    form = merged.form;
    tell(merged.disputed);
  }

  $effect(() => {
    if (!restored) return;
    if (changed.length === 0) sessionStorage.removeItem(draft_key);
    else sessionStorage.setItem(draft_key, JSON.stringify({ form, base }));
  });

  function tell(disputed: string[]): void {
    if (disputed.length === 0) return;
    notify(
      `Another person changed ${disputed.map(wordOf).join(", ")} meanwhile. Save again to replace it, or discard.`,
      {
        kind: "failed",
      },
    );
  }

  /** @returns whether the server has what is on the page */
  async function save(again = true): Promise<boolean> {
    if (!dirty && !is_new) return true;
    if (!mayEdit() || saving && again) return false;
    const typed = $state.snapshot(form);
    const { connector: sent, faults } = sentOf(typed);
    errors = faults;
    if (Object.keys(faults).length > 0) return refused();
    saving = true;
    const sent_secret = secret;
    const its_secret = sent_secret !== undefined && { secret_token: sent_secret };
    /** What was typed meanwhile stays. */
    const forgetSecret = () => {
      if (secret === sent_secret) secret = undefined;
    };
    try {
      if (!connector) return await create({ ...sent, ...its_secret }, typed, forgetSecret);
      const before = sentOf(base).connector;
      const { lock_version } = connector;
      const saved = await api.connectors.update.mutate({
        id: connector.id,
        connector: { ...changesOf(sent, typed), ...its_secret, lock_version },
      });
      const method = typed.methods.find(({ key }) => key === here.query.get("method"))?.name;
      for (const { key, name } of typed.methods) if (key !== name) first_keys.set(name, identityOf(key));
      const undo = sent_secret === undefined ? () => void takeBack(before) : undefined;
      forgetSecret();
      adopt(saved, typed);
      if (method) setQuery({ method });
      notify("Saved", { undo });
      return true;
    } catch (error) {
      const { status, fields, message } = troubleOf(error);
      if (status === 409 && again) return await mergeAndSave();
      errors = keyed(fields, typed);
      if (Object.keys(fields).length > 0) return refused();
      notify(message, { kind: "failed" });
      return false;
    } finally {
      saving = false;
    }
  }

  /** Shows the tab on which the first message stands. */
  function refused(): false {
    const [first = ""] = Object.keys(errors);
    if (is_new) return false;
    const method = form.methods.find(({ key }) => first.startsWith(`fields.methods.${key}.`))?.key;
    setQuery(method === undefined ? { tab: "connection" } : { tab: null, method });
    return false;
  }

  function changesOf({ name, code, url, department_id, fields }: ReturnType<typeof sentOf>["connector"], typed: Form) {
    const is = (part: string) => changed.includes(part);
    return {
      ...is("name") && { name },
      ...is("code") && { code: code ?? "" },
      ...is("url") && { url },
      ...is("department_id") && department_id !== undefined && { department_id },
      ...(is("auth") || is("per_second") || differing(typed, base).some((part) => part.startsWith("method "))) &&
        fields && { fields },
    };
  }

  async function create(
    sent: Parameters<typeof api.connectors.create.mutate>[0]["connector"],
    typed: Form,
    forgetSecret: () => void,
  ): Promise<true> {
    const created = await api.connectors.create.mutate({ connector: sent });
    forgetSecret();
    base = typed;
    sessionStorage.removeItem(draft_key);
    // The page of the new connector takes over what was typed meanwhile.
    const draft = { form: $state.snapshot(form), base: typed };
    if (changed.length > 0) sessionStorage.setItem(`connector_draft:${created.id}`, JSON.stringify(draft));
    notify(`${created.name} was created`);
    go(`/connectors/${created.id}`);
    return true;
  }

  /** Parts that only one side changed are merged; the person decides about the others. */
  async function mergeAndSave(): Promise<boolean> {
    const disputed = adopt(await api.connectors.find.query({ id: Number(id) }));
    if (disputed.length === 0) return await save(false);
    tell(disputed);
    return false;
  }

  async function takeBack({ name, code, url, department_id, fields }: ReturnType<typeof sentOf>["connector"]) {
    try {
      const before = { name, url, ...code && { code }, ...fields && { fields }, department_id: department_id ?? null };
      adopt(await api.connectors.update.mutate({ id: Number(id), connector: before }));
      notify("The former values are back");
    } catch (error) {
      notify(troubleOf(error).message, { kind: "failed" });
    }
  }

  void load();

  return {
    is_new,
    get connector() {
      return connector;
    },
    get form() {
      return form;
    },
    get secret() {
      return secret;
    },
    set secret(value: string | null | undefined) {
      secret = value;
    },
    get errors() {
      return errors;
    },
    get trouble() {
      return trouble;
    },
    get saving() {
      return saving;
    },
    get changed() {
      return changed;
    },
    get dirty() {
      return dirty;
    },
    /** Whether the server has another version of this method than the page. */
    isChanged: (key: string) => changed.includes(`method ${key}`),
    /** The same for a method before and after a save that named it. */
    identityOf,
    load,
    save: () => save(),
    discard() {
      form = $state.snapshot(base);
      [secret, errors] = [undefined, {}];
    },
  };
}

/** Messages of methods by their keys instead of their names, which may be new. */
function keyed(errors: Errors, form: Form): Errors {
  return Object.fromEntries(
    Object.entries(errors).map(([field, messages]) => {
      const its = form.methods.find(({ name }) =>
        field.startsWith(`fields.methods.${name}.`) || field === `fields.methods.${name}`
      );
      const name = its && field.slice(`fields.methods.${its.name}`.length);
      return [its ? `fields.methods.${its.key}${name}` : field, messages];
    }),
  );
}

function blank(): Form {
  const form = { ...formOf(), department_id: ownDepartment() };
  return { ...form, auth: { ...form.auth, type: "bearer" } };
}
