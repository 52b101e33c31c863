/** Hooks for React 18 and later. */
import type { ActionArguments, ActionName, ActionResult, AppName, Client, Database, ListOptions } from "./index.d.ts";
import type { ActionMethods, ActionState, RecordsMethods, RecordsState, RunState } from "./live.d.ts";

/** A list that follows its database. */
export function useRecords<Fields>(
  db: Database<Fields>,
  options?: ListOptions<Fields>,
): RecordsState<Fields> & RecordsMethods<Fields>;

/** A call of an action, with the state of the latest one. */
export function useAction<App extends AppName, Name extends ActionName<App>>(
  atrium: Client,
  app: App,
  name: Name,
): ActionState<ActionResult<App, Name>> & ActionMethods<ActionArguments<App, Name>, ActionResult<App, Name>>;

/** A run with its steps, until it ends. */
export function useRun(atrium: Client, id: string | undefined): RunState;
