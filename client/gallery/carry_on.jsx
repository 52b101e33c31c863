// A packing list with a weight limit. It shows React state, a derived total and items kept in local storage.
import { useEffect, useState } from "react";

const LIMIT = 5000; // grams
const SHELVES = ["All", "To pack", "Packed"];
const FIRST = ["Walking boots 1.1 kg", "Rain jacket 420 g", "Three shirts 600 g", "Camera 890 g", "Novel 310 g"]
  .concat("Wash bag 540 g", "Charger 180 g", "Swimming things 250 g", "Jumper 480 g", "Gift for Ines 750 g");

/** Splits "Walking boots 1.1 kg" into a name and grams. A thing without a weight counts as 200 g. */
function parse(text) {
  const [, name, amount, unit] = /^(.*?)(?:\s+(\d+(?:[.,]\d+)?)\s*(kg|g))?$/i.exec(text.trim());
  const grams = Math.round(parseFloat((amount ?? "200").replace(",", ".")) * (/kg/i.test(unit) ? 1000 : 1));
  return { id: next_id++, name, grams, packed: false };
}

let next_id = Date.now();
const kilos = (grams) => `${(grams / 1000).toFixed(2)} kg`;

/** The things of the last visit, or an example with the first six packed. */
function restore() {
  const kept = localStorage.getItem("carry-on");
  return kept ? JSON.parse(kept) : FIRST.map((text, index) => ({ ...parse(text), packed: index < 6 }));
}

export default function CarryOn() {
  const [things, setThings] = useState(restore);
  const [shelf, setShelf] = useState("All");
  useEffect(() => localStorage.setItem("carry-on", JSON.stringify(things)), [things]);

  const packed = things.filter((thing) => thing.packed);
  const weight = packed.reduce((sum, { grams }) => sum + grams, 0);
  const over = weight > LIMIT;
  const shown = things.filter((thing) => shelf === "All" || thing.packed === (shelf === "Packed"));
  const toggle = (id) =>
    setThings(things.map((thing) => thing.id === id ? { ...thing, packed: !thing.packed } : thing));

  function add(event) {
    event.preventDefault();
    const text = new FormData(event.currentTarget).get("thing").trim();
    if (text) setThings([...things, parse(text)]);
    event.currentTarget.reset();
  }

  return (
    <main className="min-h-screen bg-teal-50 text-slate-800 scheme-light-dark dark:bg-slate-950 dark:text-slate-100">
      <div className="mx-auto grid max-w-5xl gap-x-10 gap-y-6 p-5 md:grid-cols-2 md:pt-14">
        <section aria-label="Suitcase">
          <div className="mx-auto h-7 w-32 rounded-t-2xl border-8 border-b-0 border-slate-700 dark:border-slate-500" />
          <div className="flex h-72 flex-wrap-reverse content-start gap-1.5 overflow-hidden rounded-3xl bg-teal-700 p-6 shadow-xl outline-2 -outline-offset-14 outline-white/25 outline-dashed ring-8 ring-teal-800 ring-inset md:h-104 dark:bg-teal-900 dark:ring-teal-950">
            {packed.map(({ id, name, grams }, index) => (
              <button
                type="button"
                key={id}
                onClick={() => toggle(id)}
                aria-label={`Take out ${name}`}
                className="grow overflow-hidden rounded-xl px-2 text-sm/tight text-slate-900 transition hover:brightness-110"
                style={{
                  background: `oklch(0.84 0.1 ${index * 47 + 30})`,
                  flexBasis: `${Math.max(grams / 30, 25)}%`,
                  height: `${Math.min(26, 13 + grams / 80)}%`,
                }}
              >
                {name}
              </button>
            ))}
          </div>
        </section>
        <section aria-label="List">
          <h1 className="text-4xl font-black tracking-tight">Carry-on</h1>
          <p role="status" className={over ? "text-rose-600 dark:text-rose-400" : "opacity-70"}>
            {over
              ? `${kilos(weight - LIMIT)} too heavy: take something out`
              : `${packed.length} of ${things.length} packed, ${kilos(LIMIT - weight)} to spare`}
          </p>
          <div className="my-3 h-3 overflow-hidden rounded-full bg-slate-900/10 dark:bg-white/15">
            <div
              className={`h-full rounded-full transition-all duration-500 ${over ? "bg-rose-500" : "bg-teal-500"}`}
              style={{ width: `${Math.min(100, weight / LIMIT * 100)}%` }}
            />
          </div>
          <div role="group" aria-label="Show" className="mb-2 flex gap-1">
            {SHELVES.map((name) => (
              <button
                type="button"
                key={name}
                aria-pressed={shelf === name}
                onClick={() => setShelf(name)}
                className="rounded-full px-3 py-1 aria-pressed:bg-slate-800 aria-pressed:text-white dark:aria-pressed:bg-slate-100 dark:aria-pressed:text-slate-900"
              >
                {name}
              </button>
            ))}
          </div>
          <ul className="divide-y divide-slate-900/10 dark:divide-white/10">
            {shown.map(({ id, name, grams, packed }) => (
              <li key={id} className="flex items-center gap-3">
                <label className="flex min-w-0 grow items-center gap-3 py-2">
                  <input
                    type="checkbox"
                    className="size-5 accent-teal-600"
                    checked={packed}
                    onChange={() => toggle(id)}
                  />
                  <span className={packed ? "truncate opacity-50" : "truncate"}>{name}</span>
                </label>
                <span className="shrink-0 text-sm tabular-nums opacity-60">{grams} g</span>
                <button
                  type="button"
                  aria-label={`Leave ${name} at home`}
                  className="px-2 py-1 opacity-50 hover:opacity-100"
                  onClick={() => setThings(things.filter((thing) => thing.id !== id))}
                >
                  ×
                </button>
              </li>
            ))}
          </ul>
          {shown.length === 0 && <p className="py-6 opacity-60">Nothing here. Travel light.</p>}
          <form onSubmit={add} className="mt-3">
            <input
              name="thing"
              aria-label="Add a thing"
              placeholder="Sun hat 120 g"
              autoComplete="off"
              className="w-full rounded-xl bg-white px-4 py-3 shadow-sm dark:bg-slate-800"
            />
          </form>
        </section>
      </div>
    </main>
  );
}
