/** A small React app that uses most of the compiler (`EngineModule.sample`). */
export const sample = `import { useState, type FormEvent } from "react";

interface Item { name: string; done: boolean }

function List({ items, onToggle }: { items: Item[]; onToggle(item: Item): void }) {
  if (items.length === 0) return <p className="text-gray-500">None</p>;
  return (
    <ul className="divide-y">
      {items.map((item) => (
        <li key={item.name} className={item.done ? "py-2 line-through opacity-50" : "py-2"}>
          <label><input type="checkbox" checked={item.done} onChange={() => onToggle(item)} /> {item.name}</label>
        </li>
      ))}
    </ul>
  );
}

export default function App() {
  const [items, setItems] = useState<Item[]>([]);
  const add = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get("name"));
    setItems([...items, { name, done: false }]);
  };
  return (
    <>
      <style>{".mx-auto { line-height: 1.5 }"}</style>
      <form className="mx-auto max-w-md p-4" onSubmit={add}>
        <input name="name" className="rounded border px-3 py-1" />
        <button className="rounded bg-blue-600 px-3 py-1 text-white hover:bg-blue-700">Add</button>
      </form>
      <List
        items={items}
        onToggle={(item) => setItems(items.map((one) => one === item ? { ...one, done: !one.done } : one))}
      />
    </>
  );
}
`;
