/** Longer texts of the API reference. */

export const CREATE = [
  'Starts a flow with `input`, or without one with `{ kind: "cron", cron_id }`, at the times of `schedule`, which has five fields: ' +
  "minute (0-59), hour (0-23), day of the month (1-31), month (1-12 or JAN-DEC), day of the week (0-7 or " +
  "SUN-SAT; 0 and 7 are Sunday). A field is `*`, a value, a range (`9-17`), a step (`*/5`, `9-17/2`) or a list " +
  "of those. If both day fields are restricted, either is enough.",
  "`timezone` is an IANA name. Daylight saving follows croner: a schedule with a single minute and a single hour " +
  "runs once a day. If the clock skips its time, it runs at the first time after the gap; if the clock repeats it, " +
  "it runs the first time. A schedule with a list, range, step or `*` in minute or hour does not run at times that " +
  "the clock skips, and runs both times at those that it repeats. A range or a list of one value is a single value.",
  "The trigger's runs account for every due time. A run that was not started in its minute is started `late` within " +
  "`catch_up` seconds; of several only the latest runs, the others are `missed`. While the previous run has not " +
  "ended, the next one is `skipped`; with `overlap` `allow` it is started anyway, and with `queue` one waits for the " +
  "end. After `max_failures` failures in a row the trigger pauses: `active` becomes false and `paused_reason` says " +
  "why. A run that ends with `error` is a failure, and so is a flow that does not exist. A cancelled run and a flow " +
  "that is not active are no failures.",
  "With `kind` `webhook`, a request to the secret address `webhook_url` starts the flow; `schedule` is null then.",
  "With `kind` `record`, changes of the records that `record` chooses start the flow, in the order of their commits and " +
  "each once; `schedule` is null. A run gets a list of them as `changes` of its input, which may be a single one: " +
  "`{ seq, kind, record_id, table_name, record, before }`. Records are flat; `record` is null after a deletion, `before` " +
  "before a creation. Changes that runs of the trigger make do not start it.",
].join("\n\n");

export const UPDATE = "`active` false stops the trigger at once, in every process. `active` true resumes it from its " +
  "next due time, with no failures. A run that has started continues.";

export const DELETE = "The trigger stops at once, in every process. Its flow processes stay; one that has started " +
  "continues.";

export const FIRE =
  "Starts the flow even if the trigger is not active or a run has not ended. The ledger has the run " +
  "as one by hand. It counts neither as failure nor as success. With `input`, this run has another input than the trigger's: " +
  "for a webhook trigger, that of a delivery.";

export const RESUME = "Activates the trigger from its next due time, with no failures. Equal to an update with " +
  "`active` true. A trigger of changed records continues with the changes of the pause, of at most 24 hours.";

export const RUNS = "Newest first; 90 days are kept. `ran`: started in its minute. `late`: started after it. " +
  "`queued`: waits for the previous run. `skipped`: not started although a server was running. `missed`: no server " +
  "started it in time. Of many missed in a row the newest 200 have a row each, and the older ones share one: `due_at` " +
  "to `due_until`, with their number in `slots`.";
