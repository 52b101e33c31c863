/** Composables for Vue 3. Their arguments may be refs or getters; the results are refs. */
import type { ComputedRef, MaybeRefOrGetter } from "vue";
import type { ActionArguments, ActionName, ActionResult, AppName, Client, Database, ListOptions } from "./index.d.ts";
import type { ActionMethods, ActionState, RecordsMethods, RecordsState, RunState } from "./live.d.ts";

export type Refs<State> = { readonly [Key in keyof State]: ComputedRef<State[Key]> };

/** A list that follows its database. */
export function useRecords<Fields>(
  db: MaybeRefOrGetter<Database<Fields>>,
  options?: MaybeRefOrGetter<ListOptions<Fields>>,
): Refs<RecordsState<Fields>> & RecordsMethods<Fields>;

/** A call of an action, with the state of the latest one. */
export function useAction<App extends AppName, Name extends ActionName<App>>(
  atrium: Client,
  app: App,
  name: Name,
): Refs<ActionState<ActionResult<App, Name>>> & ActionMethods<ActionArguments<App, Name>, ActionResult<App, Name>>;

/** A run with its steps, until it ends. */
export function useRun(atrium: Client, id: MaybeRefOrGetter<string | undefined>): Refs<RunState>;
