/** How many apps stand at each module and page. Kept between the pages of modules, so that their menu does not flicker. */
import { api } from "../../api.ts";

const PER_PAGE = 500;

let counts = $state.raw<ReadonlyMap<string, number>>();

export const targets = {
  /** Undefined until the first answer. */
  get counts() {
    return counts;
  },
  async load() {
    const found = await api.embeds.targets.query({ per_page: PER_PAGE });
    counts = new Map(found.map(({ target, apps }) => [target, apps]));
  },
};
