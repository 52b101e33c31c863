/** The programs of the fault tests. Their calls go to the oracle. */
export const method = {
  method: "POST",
  path: "/call",
  body: { run: "{run}", started: "{started}", key: "{key}", value: "{value}" },
};
const retry = { attempts: 6, delay: 0.02, backoff: "fixed" };
/** @param value is sent, and must be the same if the call is repeated */
const call = (id: string, key = "{input.key|default:}", value = "") => ({
  type: "connector",
  id,
  connector_code: "oracle",
  method: "call",
  params: { run: "{run.id}", started: "{run.started_at}", key, value },
  retry,
});
const note = (id: string, of: string) => ({
  type: "record",
  id,
  action: "create",
  db_code: "marks",
  data: { run: "{run.id}", place: id, mark: `{steps.${of}.body.mark}` },
});

const CODE = `export default ({ run }: { run: { id: string } }) => {
  const list = Array.from({ length: 5 }, () => Math.random());
  return { at: Date.now(), list, id: run.id };
};`;

/** The flows, with the places of their calls in order. */
export const FLOWS = {
  /** The second call's answer decides whether a third follows. */
  chain: {
    program: [
      call("one"),
      note("save", "one"),
      call("two"),
      { type: "if", id: "odd", condition: "{steps.two.body.odd} == true", then: [call("three")] },
      note("last", "two"),
      { type: "return", data: { one: "{steps.one.body.mark}", two: "{steps.two.body.mark}" } },
    ],
    places: ["one", "two", "three"],
    notes: { save: "one", last: "two" },
    returns: { one: "one", two: "two" },
  },
  single: {
    program: [call("one"), { type: "return", data: { one: "{steps.one.body.mark}" } }],
    places: ["one"],
    notes: {},
    returns: { one: "one" },
  },
  turns: {
    program: [
      { type: "for_each", id: "each", items: [1, 2, 3], steps: [call("one")] },
      note("last", "one"),
      { type: "return", data: { one: "{steps.one.body.mark}" } },
    ],
    places: ["each.0.one", "each.1.one", "each.2.one"],
    notes: { last: "each.2.one" },
    returns: { one: "each.2.one" },
  },
  /** The first call's answer decides the branch, so two processes that make it may take different branches. */
  fork: {
    program: [
      call("one"),
      { type: "if", id: "even", condition: "{steps.one.body.odd} == false", then: [note("save", "one"), call("two")] },
      { type: "return", data: { one: "{steps.one.body.mark}" } },
    ],
    places: ["one", "two"],
    notes: { save: "one" },
    returns: { one: "one" },
  },
  /** Waits, in turn and at the same time, and waits for a run of another flow. Calls inside of `all` have no order. */
  waits: {
    program: [
      call("one"),
      { type: "wait", id: "pause", seconds: 0.1 },
      note("save", "one"),
      {
        type: "for_each",
        id: "all",
        items: [0.05, 0.2, 0.1],
        at_once: 2,
        steps: [{ type: "wait", id: "turn", seconds: "{item}" }, call("two")],
      },
      { type: "flow", id: "sub", flow_code: "single" },
      call("three"),
      note("last", "three"),
      { type: "return", data: { one: "{steps.one.body.mark}", three: "{steps.three.body.mark}" } },
    ],
    places: ["one", "all.0.two", "all.1.two", "all.2.two", "three"],
    notes: { save: "one", last: "three" },
    returns: { one: "one", three: "three" },
  },
  /** Waits for an answer, which `answerAll` gives. */
  asks: {
    program: [
      call("one"),
      { type: "approval", id: "ok", question: "Go on with {steps.one.body.mark}?", roles: ["admin"] },
      note("save", "one"),
      {
        type: "switch",
        id: "answer",
        value: "{steps.ok.body.choice}",
        cases: { approve: [call("two")] },
      },
      { type: "return", data: { one: "{steps.one.body.mark}", two: "{steps.two.body.mark}" } },
    ],
    places: ["one", "two"],
    notes: { save: "one" },
    returns: { one: "one", two: "two" },
  },
  /** The oracle gets its secret input. Each run fails, and calls the flow `tell`. */
  fails: {
    program: [call("one", "{input.secret}"), { type: "fail", id: "end", message: "No {input.secret}" }],
    settings: { secret_inputs: ["secret"], on_failure: "tell" },
    places: ["one"],
    notes: {},
    returns: {},
  },
  /** One run at a time, the others are queued. */
  alone: {
    program: [
      { type: "mutation", id: "made", set: { marks: [] } },
      call("one"),
      { type: "repeat", id: "again", while: "{index} < 1", steps: [call("two")] },
      { type: "return", data: { one: "{steps.one.body.mark}" } },
    ],
    settings: { max_at_once: 1 },
    places: ["one", "again.0.two", "again.1.two"],
    notes: {},
    returns: { one: "one" },
  },
  /** The calls send what was computed, also what is random and the time. */
  computes: {
    program: [
      { type: "code", id: "made", source: CODE },
      { type: "transform", id: "sorted", from: "{steps.made.body.list}", where: "{item} < 2", sort: "-item" },
      call("one", undefined, "{steps.made.body.at} {= $join(steps.sorted.body.$string(), ' ') & $random() & $now() }"),
      { type: "mutation", id: "sum", set: { sum: "{= $sum(steps.sorted.body) + $millis() + steps.one.body.mark }" } },
      call("two", undefined, "{sum} {= $string($random() + sum) }"),
      note("last", "two"),
      { type: "return", data: { one: "{steps.one.body.mark}", two: "{steps.two.body.mark}" } },
    ],
    places: ["one", "two"],
    notes: { last: "two" },
    returns: { one: "one", two: "two" },
  },
  /** The oracle is late: `late` is repeated, `never` is given up. */
  late: {
    program: [
      { ...call("late"), timeout: 1 },
      note("save", "late"),
      { ...call("never"), timeout: 1, retry: undefined, on_error: "continue" },
      call("two"),
      { type: "return", data: { one: "{steps.late.body.mark}", two: "{steps.two.body.mark}" } },
    ],
    places: ["late", "never", "two"],
    notes: { save: "late" },
    returns: { one: "late", two: "two" },
  },
};
/** Places of steps with a short timeout: on a busy machine they repeat a call that was answered. All calls of NEVER time out. */
export const LATE = "late";
export const NEVER = "never";
/** What changes of `source` start. */
export const DELIVER = [{
  type: "for_each",
  id: "each",
  items: "{input.changes}",
  as: "change",
  steps: [{
    type: "record",
    id: "note",
    action: "create",
    db_code: "delivered",
    data: {
      seq: "{change.seq}",
      kind: "{change.kind}",
      record: "{change.record_id}",
      n: "{change.record.n}",
      was: "{change.before.n}",
    },
  }],
}];
/** What `fails` calls. */
export const TELL = [{
  type: "record",
  id: "told",
  action: "create",
  db_code: "marks",
  data: { run: "{input.run_id}", place: "told", mark: 0 },
}];
export type FlowName = keyof typeof FLOWS;
export const FLOW_NAMES = Object.keys(FLOWS) as FlowName[];
