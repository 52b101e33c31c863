/** The active cell, the range around it, and the rows that are checked. */

export interface Cell {
  row: number;
  column: number;
}

export interface Range {
  top: number;
  bottom: number;
  left: number;
  right: number;
}

export class Selection {
  active = $state.raw<Cell>();
  /** The other corner of the range. */
  anchor = $state.raw<Cell>();
  checked = $state.raw<ReadonlySet<string>>(new Set());
  /** The row that was checked last, from which Shift checks all. */
  last_checked = -1;

  readonly range = $derived.by<Range | undefined>(() => {
    const [one, other] = [this.active, this.anchor ?? this.active];
    return one && other && {
      top: Math.min(one.row, other.row),
      bottom: Math.max(one.row, other.row),
      left: Math.min(one.column, other.column),
      right: Math.max(one.column, other.column),
    };
  });

  readonly is_several = $derived(
    this.range !== undefined && (this.range.top < this.range.bottom || this.range.left < this.range.right),
  );

  /** @param extend the range grows to the cell */
  go(cell: Cell, extend = false): void {
    this.anchor = extend ? this.anchor ?? this.active ?? cell : cell;
    this.active = cell;
  }

  none(): void {
    this.active = this.anchor = undefined;
  }

  has({ row, column }: Cell): boolean {
    const range = this.range;
    return range !== undefined && row >= range.top && row <= range.bottom && column >= range.left &&
      column <= range.right;
  }

  check(ids: readonly string[], on: boolean): void {
    const checked = new Set(this.checked);
    for (const id of ids) on ? checked.add(id) : checked.delete(id);
    this.checked = checked;
  }

  uncheck(): void {
    this.checked = new Set();
    this.last_checked = -1;
  }

  /** Keeps the cells in their columns after columns were added, moved or removed. @param names those of the columns */
  follow(before: readonly string[], names: readonly string[]): void {
    const moved = (cell: Cell | undefined) => cell && { ...cell, column: names.indexOf(before[cell.column] ?? "") };
    const [active, anchor] = [moved(this.active), moved(this.anchor)];
    this.active = active && active.column >= 0 ? active : undefined;
    this.anchor = anchor && anchor.column >= 0 ? anchor : this.active;
  }

  /** Moves what stands at or below a position. */
  shift(position: number, by: number): void {
    const moved = (cell: Cell | undefined) => cell && cell.row >= position ? { ...cell, row: cell.row + by } : cell;
    this.active = moved(this.active);
    this.anchor = moved(this.anchor);
  }
}
