/** "View as": the console as another person sees it, read-only. It lasts as long as the tab. */
interface Viewed {
  id: number;
  name: string;
}

const KEY = "view_as";

function kept(): Viewed | undefined {
  const [id, ...name] = (sessionStorage.getItem(KEY) ?? "").split(" ");
  return Number(id) > 0 ? { id: Number(id), name: name.join(" ") } : undefined;
}

const viewed = kept();

/** The person as whom the console is viewed. A change loads the page again, so that nothing of before stays. */
export const viewedAs = (): Viewed | undefined => viewed;

export function viewAs({ id, name }: Viewed): void {
  sessionStorage.setItem(KEY, `${id} ${name}`);
  location.assign("/");
}

export function stopViewing(): void {
  sessionStorage.removeItem(KEY);
  location.assign(viewed ? `/people?person=${viewed.id}` : "/");
}
