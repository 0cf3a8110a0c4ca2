/** Rows of docs/compatibility.md: what the tests of clients saw. Each client has a file in test/clients/rows. */

export interface CompatibilityRow {
  /** Commands or calls, in Markdown. */
  readonly area: string;
  readonly works: boolean;
  /** Version of sonde since when it works, `next` for the coming one; empty if it does not work. */
  readonly since: string;
  /** The reason if it does not work, or a limit; empty otherwise. No full stop. */
  readonly note: string;
}

export interface CompatibilityFile {
  /** Name for people, in Markdown. */
  readonly client: string;
  readonly version: string;
  /** `client`: software of others against our service. `deployment`: our command line against another service. */
  readonly direction: 'client' | 'deployment';
  readonly rows: readonly CompatibilityRow[];
}

/** Returns the text of a file of rows. */
export function formatRows({ client, version, direction, rows }: CompatibilityFile): string {
  const plain = rows.map(({ area, works, since, note }) => ({ area, works, since, note }));
  return `${JSON.stringify({ client, version, direction, rows: plain }, null, 2)}\n`;
}
