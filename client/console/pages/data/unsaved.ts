/** Changes that are not saved, kept while other pages of the console are open. They are lost with the page's window. */
const kept = new Map<string, unknown>();

/** @param content undefined where nothing differs from what is saved */
export function keepUnsaved<Content>(key: string, content: Content | undefined): void {
  if (content === undefined) kept.delete(key);
  else kept.set(key, content);
}

/** What the same page has kept under this key. */
export const unsavedOf = <Content>(key: string): Content | undefined => kept.get(key) as Content | undefined;

/** What was kept of a database that is deleted. */
export function forgetUnsaved(code: string): void {
  for (const page of ["schema", "public"]) kept.delete(`${page}/${code}`);
}

addEventListener("beforeunload", (event) => kept.size > 0 && event.preventDefault());
