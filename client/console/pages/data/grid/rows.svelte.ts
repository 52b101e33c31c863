/**
 * The rows of a list that may have a million records: a sparse array of ids, filled where the person looks. A page is
 * read behind a known id (keyset): that of a neighbour, or a mark, which the server lists for a long list. Without one,
 * after a jump, it is read by its number. A row keeps its position until the list is read again, whatever is changed in
 * it.
 */
import { api, totalOf, troubleOf } from "../../../api.ts";
import { type Condition, filterOf, type Key, restQuery, reversed, sortText } from "./query.ts";

export type Rec = Awaited<ReturnType<typeof api.records.list.query>>[number];

export interface Asked {
  db_code: string;
  table_name: string | undefined;
  conditions: readonly Condition[];
  keys: readonly Key[];
  q: string;
}

/** Records of a part of the list, which one request reads. Each part but the first begins behind a mark. */
const AT_ONCE = 250;
/** A list of more records has marks. */
const LONG = 5_000;
/** Rows of one answer of marks. */
const MARKED_AT_ONCE = 20_000;
/** Records of the first request, which is waited for. */
const FIRST = 200;
/** Records of the first request after a jump, which is waited for, too. The rows around them are read by keyset. */
const AFTER_JUMP = 50;
/** Requests on their way. */
const MOST_LOADING = 2;
/** Calls that are made at once become one request, whose answer waits for the slowest. */
const APART_MS = 4;
/** Rows that are read in the direction of scrolling, and in the other one. */
const AHEAD = 1_000;
const BACK = 200;

export class Rows {
  readonly asked: Asked;
  readonly #has_order: boolean;
  /** By id; also of records whose row is not in the list, such as the one in the side panel. */
  readonly records = new Map<string, Rec>();
  /** Rows that have not been read are holes, or marks: ids without a record. */
  ids: (string | undefined)[] = [];
  /** Records that another person or program has deleted. Their rows stay until the list is read again. */
  readonly gone = new Set<string>();
  /** Of records that were created by others and may belong to this list. */
  readonly unseen = new Set<string>();
  /** Increases with every change of the fields above. */
  version = $state(0);
  loaded = $state(false);
  trouble = $state("");
  /** Of the last request. */
  took_ms = $state(0);
  /** False while the number of records is only known to be at least that of the rows. */
  counted = $state(false);
  #wanted: [from: number, to: number] = [0, 0];
  #scrolls_down = true;
  /** The parts that are on their way; aborted once they are far from what is seen. */
  #loading = new Map<number, AbortController>();
  #ended = false;
  /** By how many positions rows have moved since the list was read. */
  #moved = 0;

  /** @param has_order whether an index has the list's order, so that its marks are found at once */
  constructor(asked: Asked, has_order: boolean) {
    this.asked = asked;
    this.#has_order = has_order;
  }

  /** Components that call this are drawn again after a change. */
  get total(): number {
    void this.version;
    return this.ids.length;
  }

  /** The number of rows without those whose records others have deleted. */
  get existing(): number {
    return this.total - this.gone.size;
  }

  isGone(id: string): boolean {
    void this.version;
    return this.gone.has(id);
  }

  at(position: number): Rec | undefined {
    void this.version;
    const id = this.ids[position];
    return id === undefined ? undefined : this.records.get(id);
  }

  changed(): void {
    this.version++;
  }

  /** Ends what still loads. */
  end(): void {
    this.#ended = true;
  }

  async load(): Promise<void> {
    try {
      const [total, first] = await Promise.all([this.#count(), this.#read({ page: 1, per_page: FIRST })]);
      if (this.#ended) return;
      this.ids.length = Math.max(total, first.length);
      this.#put(0, first);
      this.counted = true;
      this.trouble = "";
    } catch (error) {
      this.trouble = troubleOf(error).message;
    }
    this.loaded = true;
    this.changed();
    void this.#mark().catch(() => {});
  }

  /** Without marks, rows behind a jump only take longer. */
  async #mark(): Promise<void> {
    const { db_code, table_name, conditions, keys, q } = this.asked;
    if (this.total < LONG || !this.#has_order || conditions.length > 0 || q) return;
    const where = { db_code, sort: sortText(keys), every: AT_ONCE, ...table_name && { table_name } };
    let after: string | undefined;
    let found: string[] = [];
    for (let from = 0; !this.#ended && (from === 0 || found.length * AT_ONCE === MARKED_AT_ONCE);) {
      found = await api.records.marks.query({ ...where, ...after && { after } });
      for (const [i, id] of found.entries()) {
        const at = from + (i + 1) * AT_ONCE - 1 + this.#moved;
        if (at < this.ids.length) this.ids[at] ??= id;
      }
      from += MARKED_AT_ONCE;
      after = found.at(-1);
    }
  }

  #count(): Promise<number> {
    const { db_code, table_name, conditions, q } = this.asked;
    const query = { ...restQuery(conditions, q), ...table_name && { table_name }, count: "true" };
    return totalOf(`/platform/dbs/${db_code}/records.json`, query);
  }

  async #read(
    part: { page?: number; after?: string; back?: boolean; per_page?: number },
    signal?: AbortSignal,
  ): Promise<Rec[]> {
    const { db_code, table_name, conditions, keys, q } = this.asked;
    const { back, per_page = AT_ONCE, ...place } = part;
    const sort = sortText(keys);
    const began = performance.now();
    const filter = filterOf(conditions);
    const found = await api.records.list.query({
      db_code,
      sort: back ? reversed(sort) : sort,
      per_page,
      ...table_name && { table_name },
      ...filter && { filter },
      ...q && { q },
      ...place,
    }, { signal });
    this.took_ms = performance.now() - began;
    return found;
  }

  #put(from: number, found: readonly Rec[]): void {
    for (const record of found) this.records.set(record.id, record);
    // A mark whose record has been deleted is replaced.
    for (const [i, { id }] of found.entries()) if (!this.#isRead(from + i)) this.ids[from + i] = id;
  }

  #isRead(position: number): boolean {
    const id = this.ids[position];
    return id !== undefined && this.records.has(id);
  }

  /** Whether the rows behind the part are read by its last id, which is not known yet. */
  #isWaitedFor(part: number): boolean {
    return this.#loading.has(part) && this.ids[(part + 1) * AT_ONCE - 1] === undefined;
  }

  /** Reads the rows that are seen, and some around them. */
  want(from: number, to: number): void {
    const [before] = this.#wanted;
    if (from !== before) this.#scrolls_down = from > before;
    this.#wanted = [from, to];
    for (const [part, loading] of this.#loading) if (!this.#isNear(part)) loading.abort();
    void this.#fill();
  }

  #isNear(part: number): boolean {
    const [from, to] = this.#wanted;
    return (part + 1) * AT_ONCE > from - AHEAD && part * AT_ONCE < to + AHEAD;
  }

  async #fill(): Promise<void> {
    while (!this.#ended && this.loaded && this.#loading.size < MOST_LOADING) {
      const hole = this.#hole();
      if (hole === undefined) return;
      await this.#fillAt(hole);
    }
  }

  /** The first position to read: what is seen comes first. */
  #hole(): number | undefined {
    const [from, to] = this.#wanted;
    const [above, below] = this.#scrolls_down ? [BACK, AHEAD] : [AHEAD, BACK];
    return this.#holeIn(from, to) ?? this.#holeIn(to, to + below) ?? this.#holeIn(Math.max(0, from - above), from);
  }

  #holeIn(from: number, to: number): number | undefined {
    for (let i = from; i < Math.min(to, this.total); i++) {
      const part = partOf(i);
      if (!this.#isRead(i) && !this.#loading.has(part) && !this.#isWaitedFor(part - 1)) return i;
    }
  }

  async #fillAt(hole: number): Promise<void> {
    const part = partOf(hole);
    const loading = new AbortController();
    this.#loading.set(part, loading);
    // The next request does not wait for this one, nor is this one answered together with it.
    setTimeout(() => void this.#fill(), APART_MS);
    try {
      await this.#fillPart(hole, part, loading.signal);
      this.trouble = "";
    } catch (error) {
      if (!loading.signal.aborted) {
        this.trouble = troubleOf(error).message;
        this.#ended = true;
      }
    } finally {
      this.#loading.delete(part);
    }
    this.changed();
  }

  async #fillPart(hole: number, part: number, signal?: AbortSignal): Promise<void> {
    const begin = part * AT_ONCE;
    const known = this.#before(hole, begin);
    if (known) {
      const [from, after] = known;
      const is_marked = this.ids[begin + AT_ONCE - 1] !== undefined;
      const per_page = is_marked ? begin + AT_ONCE - from : AT_ONCE;
      const found = await this.#read({ after, per_page }, signal);
      this.#put(from, found);
      // Records may have gone since they were counted.
      if (found.length < per_page && from + found.length < this.total) this.#cut(from + found.length);
      return;
    }
    let end = hole;
    while (end < begin + AT_ONCE && end < this.total && this.ids[end] === undefined) end++;
    const behind = this.ids[end];
    if (behind !== undefined && !this.gone.has(behind)) {
      const found = await this.#read({ after: behind, back: true, per_page: Math.max(1, end - begin) }, signal);
      this.#put(end - found.length, found.toReversed());
      if (found.length === end - begin || begin === 0) return;
    }
    const block = Math.floor(hole / AFTER_JUMP);
    const found = await this.#read({ page: block + 1, per_page: AFTER_JUMP }, signal);
    this.#put(block * AFTER_JUMP, found);
    if (found.length < AFTER_JUMP) this.#cut(block * AFTER_JUMP + found.length);
  }

  /** The id in front of the hole, or else that in front of its part, with the position behind it. */
  #before(hole: number, begin: number): [from: number, after: string] | undefined {
    for (const from of [hole, begin]) {
      const id = this.ids[from - 1];
      if (id !== undefined && !this.gone.has(id)) return [from, id];
    }
  }

  /** The list ends here, if nothing behind it is known. */
  #cut(length: number): void {
    for (let i = length; i < this.total; i++) if (this.#isRead(i)) return;
    this.ids.length = length;
  }

  isWhole(from: number, to: number): boolean {
    for (let i = from; i < Math.min(to, this.total); i++) if (!this.#isRead(i)) return false;
    return true;
  }

  /** Reads every row of a range, for example to copy it. */
  async whole(from: number, to: number): Promise<void> {
    for (let i = from; i < Math.min(to, this.total); i++) {
      if (!this.#isRead(i)) await this.#fillPart(i, partOf(i));
      if (!this.#isRead(i)) break;
    }
    this.changed();
  }

  /** Ids of all records of the list, at most `most`. */
  async all(most: number): Promise<string[]> {
    await this.whole(0, most);
    return this.ids.slice(0, most).flatMap((id) => id ?? []);
  }

  insert(position: number, record: Rec): void {
    this.records.set(record.id, record);
    this.ids.splice(position, 0, record.id);
    this.#moved++;
  }

  /** @returns where it was; -1 where it is not in the list */
  remove(id: string): number {
    this.records.delete(id);
    this.gone.delete(id);
    const position = this.ids.indexOf(id);
    if (position < 0) return position;
    this.ids.splice(position, 1);
    this.#moved--;
    return position;
  }

  /** A record has another id from now on: a new one has been stored, or a deleted one restored. */
  rename(from: string, record: Rec): void {
    const position = this.ids.indexOf(from);
    this.records.delete(from);
    this.records.set(record.id, record);
    if (position >= 0) this.ids[position] = record.id;
  }
}

const partOf = (position: number): number => Math.floor(position / AT_ONCE);
