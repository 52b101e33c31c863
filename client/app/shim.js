/*
 * Runs before an app's own code. An app page has an opaque origin, in which `localStorage` and `sessionStorage` throw.
 * Many games and frameworks use them without a check. These replacements keep their items as long as the page lives.
 *
 * Cookies, IndexedDB and locks do not work there either, some of them without any message. The console names what does.
 */
for (const name of ["localStorage", "sessionStorage"]) {
  try {
    globalThis[name].length;
  } catch {
    const items = new Map();
    const methods = {
      getItem: (key) => items.get(String(key)) ?? null,
      setItem: (key, value) => void items.set(String(key), String(value)),
      removeItem: (key) => void items.delete(String(key)),
      clear: () => items.clear(),
      key: (index) => [...items.keys()][index] ?? null,
    };
    const value = new Proxy(methods, {
      get: (_, key) => key === "length" ? items.size : methods[key] ?? items.get(key),
      set: (_, key, item) => (methods.setItem(key, item), true),
      has: (_, key) => key in methods || items.has(key),
      deleteProperty: (_, key) => (items.delete(key), true),
      ownKeys: () => [...items.keys()],
      getOwnPropertyDescriptor: (_, key) =>
        items.has(key) ? { value: items.get(key), writable: true, enumerable: true, configurable: true } : undefined,
    });
    Object.defineProperty(globalThis, name, { value, configurable: true });
  }
}
for (
  const [owner, key, thing] of [
    [Document.prototype, "cookie", "document.cookie"],
    [globalThis, "indexedDB", "IndexedDB"],
    [Navigator.prototype, "locks", "navigator.locks"],
  ]
) {
  const { get, set } = Object.getOwnPropertyDescriptor(owner, key) ?? {};
  if (origin !== "null" || !get) continue;
  let told = false;
  const tell = () => {
    // deno-lint-ignore no-console
    if (!told) console.warn(`${thing} does not work in an app. Keep records with db() of "platform" instead.`);
    told = true;
  };
  const value = {
    get() {
      tell();
      return get.call(this);
    },
    set(value) {
      tell();
      return set?.call(this, value);
    },
  };
  Object.defineProperty(owner, key, { ...value, configurable: true, enumerable: true });
}
