/** Long work that goes on while other pages are open, such as an import. It is lost with the page's window. */

export interface Work {
  /** Of what is worked on; a further report replaces the one before. */
  key: string;
  text: string;
  /** Where it is shown in full. */
  href: string;
  /** Between 0 and 1. */
  part: number;
  state: "running" | "done" | "failed";
  /** Its page shows it, so that no notice is needed. */
  is_open: boolean;
}

let works = $state.raw<readonly Work[]>([]);
let ends = $state.raw<Readonly<Record<string, number>>>({});

export const noticedWorks = () => works.filter(({ is_open }) => !is_open);

export const hasWork = (key: string): boolean => works.some((work) => work.key === key);

/** Increases with each end of a work of this key. */
export const endsOf = (key: string): number => ends[key] ?? 0;

export function tellWork(work: Work): void {
  const before = works.find(({ key }) => key === work.key);
  works = before ? works.map((one) => (one === before ? work : one)) : [...works, work];
  if (before?.state === "running" && work.state !== "running") ends = { ...ends, [work.key]: endsOf(work.key) + 1 };
}

export function forgetWork(key: string): void {
  works = works.filter((work) => work.key !== key);
}

addEventListener("beforeunload", (event) => {
  if (works.some(({ state }) => state === "running")) event.preventDefault();
});
