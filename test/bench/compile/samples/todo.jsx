import { useEffect, useMemo, useState } from "react";

const build = "BUILD";
const filters = ["all", "open", "done"];
const first = [
  { id: 1, title: "Water the plants", done: false },
  { id: 2, title: "Call the plumber", done: false },
  { id: 3, title: "Buy stamps", done: true },
];

function Task({ task, onToggle, onRemove }) {
  return (
    <li className="group flex items-center gap-3 p-3">
      <input type="checkbox" checked={task.done} onChange={onToggle} />
      <span className={`flex-1 ${task.done ? "line-through" : ""}`}>{task.title}</span>
      <button
        type="button"
        className="invisible text-slate-300 group-hover:visible hover:text-red-500"
        onClick={onRemove}
      >
        ✕
      </button>
    </li>
  );
}

export default function App() {
  const [tasks, setTasks] = useState(first);
  const [filter, setFilter] = useState("all");
  const [title, setTitle] = useState("");

  const left = tasks.filter((task) => !task.done).length;
  const share = tasks.length === 0 ? 0 : Math.round(100 * (1 - left / tasks.length));
  const shown = useMemo(
    () => tasks.filter((task) => filter === "all" || task.done === (filter === "done")),
    [tasks, filter],
  );

  useEffect(() => {
    document.title = `${left} left`;
  }, [left]);

  function add(event) {
    event.preventDefault();
    const text = title.trim();
    if (!text) return;
    const id = Math.max(0, ...tasks.map((task) => task.id)) + 1;
    setTasks([...tasks, { id, title: text, done: false }]);
    setTitle("");
  }

  const toggle = (id) => setTasks(tasks.map((task) => task.id === id ? { ...task, done: !task.done } : task));
  const remove = (id) => setTasks(tasks.filter((task) => task.id !== id));

  return (
    <main className="mx-auto max-w-xl space-y-6 p-6 text-slate-800 md:p-10 dark:text-slate-100">
      <header className="flex items-baseline justify-between border-b border-slate-200 pb-3">
        <h1 className="text-2xl font-semibold tracking-tight">Today</h1>
        <p className="text-sm text-slate-500">{left} of {tasks.length} left</p>
      </header>
      <div className="h-2 overflow-hidden rounded-full bg-slate-100">
        <div className="h-full rounded-full bg-emerald-500 transition-all" style={{ width: `${share}%` }} />
      </div>
      <form className="flex gap-2" onSubmit={add}>
        <input
          className="flex-1 rounded-lg border border-slate-300 px-3 py-2 outline-none focus:border-emerald-500"
          placeholder="What is next?"
          value={title}
          onChange={(event) => setTitle(event.target.value)}
        />
        <button
          type="submit"
          className="rounded-lg bg-emerald-600 px-4 py-2 font-medium text-white hover:bg-emerald-700 disabled:opacity-40"
          disabled={!title.trim()}
        >
          Add
        </button>
      </form>
      <nav className="flex gap-4 text-sm">
        {filters.map((name) => (
          <button
            type="button"
            key={name}
            className={`capitalize ${filter === name ? "font-semibold underline" : "text-slate-400"}`}
            onClick={() => setFilter(name)}
          >
            {name}
          </button>
        ))}
      </nav>
      <ul className="divide-y divide-slate-100 rounded-xl bg-white shadow-sm ring-1 ring-slate-200">
        {shown.map((task) => (
          <Task
            key={task.id}
            task={task}
            onToggle={() => toggle(task.id)}
            onRemove={() => remove(task.id)}
          />
        ))}
        {shown.length === 0 && <li className="p-6 text-center text-slate-400">Nothing here</li>}
      </ul>
      <footer className="mt-[1px] text-xs text-slate-400">{build}</footer>
    </main>
  );
}
