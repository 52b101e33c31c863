/*
 * Runs before an app's own code. An app page has an opaque origin, in which `localStorage` and `sessionStorage` throw.
 * Many games and frameworks use them without a check. These replacements keep their items as long as the page lives.
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
