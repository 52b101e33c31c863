/** The address of the page, and moves between pages without a load. */
import { isConsole } from "./pages.ts";

/** The part of the address that pages read. */
interface Place {
  path: string;
  query: URLSearchParams;
  /** Without the `#`; empty where there is none. */
  hash: string;
}

const read = (): Place => ({
  path: location.pathname,
  query: new URLSearchParams(location.search),
  hash: location.hash.slice(1),
});

let place = $state.raw(read());

addEventListener("popstate", () => place = read());

export const here = {
  get path() {
    return place.path;
  },
  get query() {
    return place.query;
  },
  get hash() {
    return place.hash;
  },
};

/** Opens an address: of the console without a load, of an app with one. */
export function go(address: string): void {
  if (!isConsole(address.replace(/[?#].*/, ""))) return location.assign(address);
  history.pushState(null, "", address);
  place = read();
}

/**
 * Changes parameters of the present address. Null removes one.
 *
 * @param push whether Back leads to the address before
 */
export function setQuery(changes: Record<string, string | null>, { push = false } = {}): void {
  const query = new URLSearchParams(place.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value) query.set(name, value);
    else query.delete(name);
  }
  const text = query.size > 0 ? `?${query}` : "";
  if (push) history.pushState(null, "", place.path + text);
  else history.replaceState(null, "", place.path + text);
  place = read();
}

/** Opens another address of the console in place of the present one. */
export function replace(address: string): void {
  history.replaceState(null, "", address);
  place = read();
}

/** Handles clicks on links of the console. Other links, new tabs and downloads are left to the browser. */
export function followLinks(event: MouseEvent): void {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (
    !link || link.target || link.hasAttribute("download") || link.origin !== location.origin ||
    !isConsole(link.pathname)
  ) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}
