/** What parsing may look at besides the line itself. */

/** What parsing may look at. */
export interface ParseContext {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Reads a file by the name that the user gave, relative to the working folder. */
  readonly readFile: (name: string) => Promise<string>;
  readonly readStdin: () => Promise<string>;
}
