/** What a bench measured, beside its targets. */

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The greatest value that is good; left out where nothing was promised. */
  readonly most?: number;
  /** The smallest value that is good. */
  readonly least?: number;
  /** What is told besides. */
  readonly note?: string;
}

const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : value.toFixed(value < 10 ? 2 : 0);
/** A value that was not measured is no good one. */
const isMissed = ({ value, most, least }: Row): boolean =>
  (most !== undefined && !(value <= most)) || (least !== undefined && !(value >= least));

function bounds(row: Row): string {
  const said = [
    ...(row.least === undefined ? [] : [`at least ${row.least}`]),
    ...(row.most === undefined ? [] : [`at most ${row.most}`]),
  ].join(', ');
  return isMissed(row) ? `${said}  MISSED` : said;
}

/** Prints the rows; true where a target is missed. */
export function printTable(rows: readonly Row[]): boolean {
  const width = Math.max(...rows.map(({ what }) => what.length));
  for (const row of rows) {
    const cells = [
      row.what.padEnd(width),
      shown(row.value).padStart(8),
      row.unit.padEnd(12),
      bounds(row).padEnd(20),
    ];
    console.log([...cells, row.note ?? ''].join(' ').trimEnd());
  }
  return rows.some(isMissed);
}

/** The value below which so large a share of the numbers is; the numbers need no order. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
