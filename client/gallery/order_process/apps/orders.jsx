// A shop's order form. An order is a public record that only its own browser sees again; a trigger starts the flow
// `order_process` for each. The flow reserves stock, asks a manager above €500, and writes the order's state, which this
// page follows. Members also see the desk: all orders, by an action that needs a login.
import { action, db, user } from "platform";
import { useCallback, useEffect, useRef, useState } from "react";

const LIMIT = 500;
const euros = new Intl.NumberFormat("en-IE", { style: "currency", currency: "EUR" });
const WAY = [
  { state: "received", label: "Received" },
  { state: "waiting", label: "Approval" },
  { state: "packing", label: "Packing" },
  { state: "shipped", label: "Shipped" },
];
const LABELS = {
  received: "Received",
  waiting: "Waits for approval",
  packing: "Being packed",
  shipped: "Shipped",
  refused: "Refused",
  failed: "Went wrong",
};
const PICTURES = {
  notebook: "M14 8h34v48H14zM20 8v48M28 20h12M28 27h12",
  pen: "M48 10 22 36l-6 16 16-6L58 20zM16 52l9-9M40 18l10 10",
  ink: "M18 28h28v26H18zM24 28v-8h16v8M24 12h16v8H24zM18 40h28",
  paper: "M16 10h26l8 8v36H16zM42 10v8h8M24 28h16M24 35h16M24 42h10",
  ruler: "M6 38 38 6l20 20-32 32zM14 30l5 5M21 23l8 8M28 16l5 5",
  lamp: "M20 56h28M34 56V40L18 26l14-14M26 6l16 16-12 6-10-10z",
};

/** Reads a list, again after each change and after the browser was offline. */
function useLive(read, code) {
  const [rows, setRows] = useState(null);
  const [problem, setProblem] = useState("");
  const reads = useRef(0);
  const load = useCallback(async () => {
    const mine = ++reads.current;
    try {
      const found = await read();
      if (mine === reads.current) setRows(found), setProblem("");
    } catch (error) {
      if (mine === reads.current) setProblem(error.message);
    }
  }, []);
  useEffect(() => {
    load();
    const stop = db(code).subscribe(({ kind }) => kind === "error" || load());
    addEventListener("online", load);
    return () => {
      stop();
      removeEventListener("online", load);
    };
  }, []);
  return [rows, problem, load];
}

function useOnline() {
  const [online, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const follow = () => setOnline(navigator.onLine);
    addEventListener("online", follow);
    addEventListener("offline", follow);
    return () => (removeEventListener("online", follow), removeEventListener("offline", follow));
  }, []);
  return online;
}

export default function Shop() {
  const [stock, stock_problem, readStock] = useLive(() => db("order_stock").list({ sort: "position" }), "order_stock");
  const [orders, orders_problem, readOrders] = useLive(() => db().list({ per_page: 30 }));
  const online = useOnline();
  const problem = stock_problem || orders_problem;
  useEffect(() => void (document.title = "Orders"), []);
  return (
    <main>
      <style>{STYLE}</style>
      <header>
        <p className="brand">
          <svg viewBox="0 0 64 64" aria-hidden="true">
            <path d={PICTURES.pen} />
          </svg>Inkwell Supplies
        </p>
        <h1>Order for your desk</h1>
        <p>Up to €{LIMIT} goes out at once. Above that, a person looks at it first.</p>
      </header>
      {!online && <p className="note" role="status">You are offline. Orders are sent when you are back.</p>}
      {problem && (
        <p className="note bad" role="alert">
          {problem} <button type="button" onClick={() => (readStock(), readOrders())}>Try again</button>
        </p>
      )}
      <div className="two">
        <Form stock={stock} online={online} onOrder={readOrders} />
        <section aria-labelledby="mine" aria-busy={!orders}>
          <h2 id="mine">Your orders</h2>
          {orders?.length === 0 && <p className="empty">Nothing yet. An order appears here and moves by itself.</p>}
          <ul className="orders" aria-live="polite">
            {orders?.map((order) => <Order key={order.id} order={order} />)}
          </ul>
        </section>
      </div>
      {user && <Desk stock={stock ?? []} />}
    </main>
  );
}

function Form({ stock, online, onOrder }) {
  const [sku, setSku] = useState("notebook");
  const [quantity, setQuantity] = useState("10");
  const [customer, setCustomer] = useState("");
  const [faults, setFaults] = useState({});
  const [sending, setSending] = useState(false);
  const item = stock?.find((one) => one.sku === sku);
  const number = /^\d{1,3}$/.test(quantity.trim()) ? Number(quantity) : 0;
  const total = (item?.price ?? 0) * number;

  async function send(event) {
    event.preventDefault();
    const found = {};
    if (customer.trim().length < 2) found.customer = "Tell us who orders";
    if (number < 1 || number > 500) found.quantity = "Order between 1 and 500";
    setFaults(found);
    const [first] = Object.keys(found);
    if (first) return document.getElementsByName(first)[0]?.focus();
    setSending(true);
    try {
      await db().create({ customer: customer.trim(), sku, quantity: number });
      setQuantity("1");
      await onOrder();
    } catch (error) {
      const fields = Object.entries(error.fields ?? {}).map(([name, [message]]) => [name, message]);
      setFaults({ ...Object.fromEntries(fields), all: error.message });
    } finally {
      setSending(false);
    }
  }

  return (
    <form onSubmit={send} noValidate>
      <fieldset>
        <legend>What do you need?</legend>
        <div className="items" aria-busy={!stock}>
          {!stock && [1, 2, 3, 4, 5, 6].map((n) => <div key={n} className="ghost" />)}
          {stock?.length === 0 && <p className="empty">The shelves are empty. Please come back later.</p>}
          {stock?.map((one) => (
            <label key={one.sku} className="item">
              <input
                type="radio"
                name="sku"
                value={one.sku}
                checked={sku === one.sku}
                onChange={() => setSku(one.sku)}
              />
              <span>
                <svg viewBox="0 0 64 64" aria-hidden="true">
                  <path d={PICTURES[one.sku]} />
                </svg>
                <b>{one.name}</b>
                <small>{one.about}</small>
                <span className="price">{euros.format(one.price)}</span>
                <Level item={one} />
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <div className="fields">
        <label>
          Ordered by
          <input
            name="customer"
            value={customer}
            maxLength={120}
            autoComplete="organization"
            aria-invalid={!!faults.customer}
            aria-describedby="customer-fault"
            onChange={(event) => setCustomer(event.target.value)}
          />
          <span id="customer-fault" className="fault">{faults.customer}</span>
        </label>
        <label className="short">
          Pieces
          <input
            name="quantity"
            inputMode="numeric"
            value={quantity}
            maxLength={3}
            aria-invalid={!!faults.quantity}
            aria-describedby="quantity-fault"
            onChange={(event) => setQuantity(event.target.value)}
          />
          <span id="quantity-fault" className="fault">{faults.quantity}</span>
        </label>
      </div>
      {item && number > item.on_hand && (
        <p className="note">There are only {item.on_hand} at present. The order would be refused.</p>
      )}
      {faults.all && <p className="note bad" role="alert">{faults.all}</p>}
      <div className="end">
        <p role="status">
          <b>{euros.format(total)}</b>
          <br />
          {total > LIMIT ? "Needs an approval" : "Goes out at once"}
        </p>
        <button type="submit" className="main" disabled={sending || !online || !item}>
          {sending ? "Sending …" : "Place the order"}
        </button>
      </div>
    </form>
  );
}

function Level({ item: { on_hand, full, name } }) {
  const share = Math.min(1, on_hand / (full || on_hand || 1));
  return (
    <span className="level" data-low={share < 0.25 || undefined}>
      <i aria-hidden="true">
        <i style={{ width: `${share * 100}%` }} />
      </i>
      {on_hand === 0 ? "sold out" : `${on_hand} left`}
      <span className="unseen">of {name}</span>
    </span>
  );
}

function Order({ order: { item, sku, quantity, total, state, reason, created_at } }) {
  const needs_approval = state === "waiting" || total > LIMIT;
  const way = WAY.filter((step) => step.state !== "waiting" || needs_approval);
  const at = way.findIndex((step) => step.state === state);
  const ended = state === "refused" || state === "failed";
  return (
    <li className="order" data-state={state}>
      <div className="line">
        <b>{quantity} × {item ?? sku}</b>
        <span>{total ? euros.format(total) : ""}</span>
      </div>
      <p className="badge">
        <i aria-hidden="true" />
        {LABELS[state] ?? state}
        {reason ? `: ${reason}` : ""}
      </p>
      {!ended && (
        <ol className="way" aria-hidden="true">
          {way.map((step, index) => (
            <li
              key={step.state}
              data-done={index < at || state === "shipped" || undefined}
              data-now={index === at && state !== "shipped" || undefined}
            >
              {step.label}
            </li>
          ))}
        </ol>
      )}
      <time dateTime={created_at}>
        {new Date(created_at).toLocaleString("en-GB", {
          day: "numeric",
          month: "short",
          hour: "2-digit",
          minute: "2-digit",
        })}
      </time>
    </li>
  );
}

function Desk({ stock }) {
  const [orders, problem, load] = useLive(() => action("desk"), "order_pulse");
  const [filter, setFilter] = useState("all");
  const [busy, setBusy] = useState("");
  const [said, setSaid] = useState("");
  const waiting = orders?.filter(({ state }) => state === "waiting").length ?? 0;
  const shown = orders?.filter(({ state }) => filter === "all" || state === filter) ?? [];

  async function restock({ sku, name, full, on_hand }) {
    setBusy(sku);
    try {
      await action("restock", { sku, quantity: Math.max(1, full - on_hand) });
      setSaid(`${name} is full again`);
    } catch (error) {
      setSaid(error.message);
    } finally {
      setBusy("");
    }
  }

  return (
    <section className="desk" aria-labelledby="desk">
      <div className="line">
        <h2 id="desk">Desk</h2>
        <div className="chips" role="group" aria-label="Show">
          {["all", "waiting", "packing", "shipped", "refused"].map((state) => (
            <button
              type="button"
              key={state}
              aria-pressed={filter === state}
              onClick={() => setFilter(state)}
            >
              {state === "all" ? "All" : LABELS[state]}
            </button>
          ))}
        </div>
        {waiting > 0 && (
          <a href="/runs?tab=approvals">{waiting === 1 ? "1 approval" : `${waiting} approvals`} to answer</a>
        )}
      </div>
      <p className="unseen" role="status">{said}</p>
      {problem && (
        <p className="note bad" role="alert">
          {problem} <button type="button" onClick={load}>Try again</button>
        </p>
      )}
      <div className="table" role="region" aria-label="All orders" tabIndex={0}>
        <table>
          <thead>
            <tr>
              <th>Customer</th>
              <th>Order</th>
              <th className="number">Total</th>
              <th>State</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ id, customer, quantity, item, sku, total, state, reason }) => (
              <tr key={id}>
                <td>{customer}</td>
                <td>{quantity} × {item ?? sku}</td>
                <td className="number">{total ? euros.format(total) : ""}</td>
                <td data-state={state}>
                  <span className="badge">
                    <i aria-hidden="true" />
                    {LABELS[state] ?? state}
                  </span>
                  {reason && <small>{reason}</small>}
                </td>
              </tr>
            ))}
            {orders && shown.length === 0 && (
              <tr>
                <td colSpan={4} className="none">No orders here.</td>
              </tr>
            )}
          </tbody>
        </table>
      </div>
      <ul className="shelf">
        {stock.map((item) => (
          <li key={item.sku}>
            <b>{item.name}</b>
            <Level item={item} />
            <button
              type="button"
              disabled={busy === item.sku || item.on_hand >= item.full}
              aria-label={`Fill up ${item.name}`}
              onClick={() => restock(item)}
            >
              Fill up
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

const STYLE = `
:root { color-scheme: light dark; --ink: light-dark(#1c1a33, #eceaf8); --dim: light-dark(#5a5775, #a9a6c6); --page: light-dark(#f5f4fb, #12111d);
  --sheet: light-dark(#fff, #1c1a2b); --well: light-dark(#ebe9f7, #252339); --edge: light-dark(#dcd9ee, #34314d); --main: light-dark(#4a32c9, #b3a4ff); --on: light-dark(#fff, #17103f);
  --good: light-dark(#17734a, #6fd6a4); --wait: light-dark(#9a5b00, #f2b95c); --bad: light-dark(#a81e3a, #ff93a6) }
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 "Avenir Next", "Segoe UI", system-ui, sans-serif }
main { max-width: 78rem; margin: auto; padding: clamp(1.25rem, 3vw, 3rem) clamp(1rem, 3vw, 2.5rem) 3rem }
h1, h2, p, ul, ol { margin: 0; padding: 0 } ul, ol { list-style: none }
h1 { font: 600 clamp(2rem, 4.5vw, 3.1rem)/1.05 Didot, "Bodoni 72", "Playfair Display", Georgia, serif; letter-spacing: -.025em; margin: .35rem 0 .5rem }
h2, legend { font: 600 1.3rem/1.3 Didot, "Bodoni 72", "Playfair Display", Georgia, serif; padding: 0; margin-bottom: .75rem }
header { margin-bottom: 2rem } header > p { color: var(--dim) }
.brand { display: flex; align-items: center; gap: .5rem; font-weight: 600; color: var(--main) !important }
svg { width: 2.5rem; fill: none; stroke: currentColor; stroke-width: 2.5; stroke-linejoin: round; stroke-linecap: round } .brand svg { width: 1.5rem; stroke-width: 4 }
.two { display: grid; grid-template-columns: minmax(0, 1.55fr) minmax(0, 1fr); gap: clamp(1.5rem, 4vw, 4rem); align-items: start }
fieldset { border: 0; padding: 0; margin: 0 0 1.25rem; min-width: 0 }
.items { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(12rem, 100%), 1fr)); gap: .75rem }
.item { position: relative }
.item input { position: absolute; inset: 0; width: 100%; height: 100%; opacity: 0; margin: 0; cursor: pointer }
.item > span { display: grid; grid-template-rows: auto auto 1fr; height: 100%; box-sizing: border-box; background: var(--sheet); border: 2px solid var(--edge); border-radius: 1rem; padding: .9rem 1rem }
.item:hover > span { border-color: light-dark(#8a84b8, #6a6594) }
.item input:checked + span { border-color: var(--main); background: color-mix(in oklab, var(--main) 8%, var(--sheet)) }
.item input:focus-visible + span, :is(button, a, .table, .fields input):focus-visible { outline: 3px solid var(--main); outline-offset: 2px }
.item svg { color: var(--main); margin-bottom: .5rem } .item small { color: var(--dim) } .price { font-weight: 600; margin: .35rem 0; font-variant-numeric: tabular-nums }
.level { display: flex; align-items: center; gap: .5rem; font-size: .85rem; color: var(--dim); white-space: nowrap; font-variant-numeric: tabular-nums }
.level > i { flex: 1; min-width: 2rem; height: .4rem; border-radius: 1rem; background: var(--well); overflow: hidden } .level i i { display: block; height: 100%; background: var(--main); border-radius: 1rem; transition: width .4s }
.level[data-low] { color: var(--wait) } .level[data-low] i i { background: var(--wait) }
.ghost { height: 9.5rem; border-radius: 1rem; background: var(--well) }
.fields { display: flex; gap: 1rem; flex-wrap: wrap; margin-bottom: 1rem }
.fields label { flex: 1 1 12rem; display: grid; gap: .25rem; align-content: start; color: var(--dim); font-size: .9rem } .fields .short { flex: 0 1 7rem }
.fields input { font: inherit; font-size: 1rem; color: var(--ink); background: var(--sheet); border: 1.5px solid light-dark(#8a84b8, #6a6594); border-radius: .6rem; padding: .65rem .8rem; width: 100%; box-sizing: border-box }
.fields input[aria-invalid=true] { border-color: var(--bad) } .fault { color: var(--bad) } .fault:empty { display: none }
button { font: inherit; color: inherit; cursor: pointer; background: none; border: 1px solid light-dark(#8a84b8, #6a6594); border-radius: 2rem; padding: .3rem .9rem } button:disabled { opacity: .5; cursor: default }
.main { background: var(--main); color: var(--on); border: 0; font-weight: 700; padding: .8rem 1.6rem } .main:hover:enabled { filter: brightness(1.1) }
.end { display: flex; justify-content: space-between; align-items: center; gap: 1rem; border-top: 1px solid var(--edge); padding-top: 1rem; line-height: 1.35 } .end b { font-size: 1.3rem; font-variant-numeric: tabular-nums } .end p { color: var(--dim) } .end p b { color: var(--ink) }
.note { background: light-dark(#fdf0d5, #38290d); color: light-dark(#5e3f02, #ffdf9f); border-radius: .7rem; padding: .65rem 1rem; margin-bottom: 1rem } .note.bad { background: light-dark(#fde2e7, #3c141d); color: light-dark(#7c1028, #ffc2cc) }
.empty { background: var(--well); border-radius: 1rem; padding: 1.5rem; color: var(--dim) }
.orders { display: grid; gap: .75rem }
.order { background: var(--sheet); border: 1px solid var(--edge); border-radius: 1rem; padding: 1rem 1.1rem; overflow-wrap: anywhere }
.line { display: flex; justify-content: space-between; gap: .5rem 1rem; flex-wrap: wrap; align-items: baseline; font-variant-numeric: tabular-nums }
.badge { display: inline-flex; align-items: baseline; gap: .45rem; color: var(--tone, var(--dim)) } .badge i { flex: none; width: .6rem; height: .6rem; border-radius: 50%; background: currentColor }
[data-state=shipped] { --tone: var(--good) } [data-state=waiting] { --tone: var(--wait) } [data-state=packing] { --tone: var(--main) } [data-state=refused], [data-state=failed] { --tone: var(--bad) }
.way { display: flex; gap: .35rem; margin: .75rem 0 .5rem } .way li { flex: 1; font-size: .78rem; color: var(--dim); border-top: 4px solid var(--well); padding-top: .3rem; min-width: 0 }
.way li[data-done] { border-color: var(--good); color: var(--ink) } .way li[data-now] { border-color: var(--tone, var(--main)); color: var(--ink); font-weight: 600 }
@media (prefers-reduced-motion: no-preference) { .way li[data-now] { animation: pulse 1.4s ease-in-out infinite alternate } @keyframes pulse { to { border-color: color-mix(in oklab, var(--tone, var(--main)) 45%, var(--well)) } } }
time { color: var(--dim); font-size: .85rem }
.desk { margin-top: 3rem; border-top: 1px solid var(--edge); padding-top: 2rem } .desk h2 { margin: 0 } .desk > .line { align-items: center; margin-bottom: 1rem; justify-content: flex-start }
.chips { display: flex; gap: .4rem; flex-wrap: wrap } .chips button[aria-pressed=true] { background: var(--ink); color: var(--page); border-color: var(--ink) }
a { color: var(--main); font-weight: 600 } .desk > .line a { margin-left: auto }
.table { overflow-x: auto; background: var(--sheet); border: 1px solid var(--edge); border-radius: 1rem } table { border-collapse: collapse; width: 100%; min-width: 34rem }
th { text-align: left; font-size: .85rem; color: var(--dim); font-weight: 500 } th, td { padding: .65rem 1.1rem; vertical-align: baseline } td { border-top: 1px solid var(--edge) } .number { text-align: right; font-variant-numeric: tabular-nums } td small { display: block; color: var(--dim) } .none { color: var(--dim); text-align: center }
.shelf { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); gap: .25rem 2rem; margin-top: 1.25rem } .shelf li { display: grid; grid-template-columns: 7rem 1fr auto; gap: 1rem; align-items: center; padding: .35rem 0 } .shelf b { font-weight: 500 }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
@media (max-width: 56rem) { .two { grid-template-columns: 1fr } }
/* The button is in sight in a window of 1280 by 800. */
@media (min-width: 60rem) and (max-height: 52rem) { main { padding-top: 1.25rem } h1 { font-size: 2.4rem } header { margin-bottom: 1.25rem } .item > span { padding: .7rem .9rem } .item svg { margin-bottom: .25rem } .fields { margin-bottom: .75rem } fieldset { margin-bottom: 1rem } }
@media (max-width: 30rem) { .items { grid-template-columns: 1fr 1fr } .item > span { padding: .75rem } .shelf li { grid-template-columns: 6rem 1fr auto; gap: .6rem } }
`;
