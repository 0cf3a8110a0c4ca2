/** What the matrix of endpoints knows of each: how it is called well, called badly, and what must be seen of it. */
import type { Made, World } from '../world.ts';

export interface Row {
  /** Of the specification's table. */
  readonly number: number;
  /** Makes what one run of the command needs. */
  arrange(world: World): Promise<Made>;
  /** A command line that must succeed. */
  command(made: Made, world: World): readonly string[];
  /** Deletions say nothing on stdout where no format is asked for. */
  readonly silent?: true;
  /** What the result must show as a table and as tab-separated values. */
  shows(made: Made): readonly string[];
  /** Throws unless the service holds what `--json` printed: read past the binary. */
  stored(world: World, made: Made, printed: unknown): Promise<void>;
  /** A command line that must not be sent, and what must be said of it. */
  readonly bad: { readonly args: readonly string[]; readonly says: readonly string[] };
  /** A request that only the service can refuse: path and query, body, and every place that is wrong with it. */
  readonly raw: { readonly path: string; readonly body?: unknown; readonly violations: readonly string[] };
  /** An id that is none; absent where the endpoint addresses nothing. */
  readonly missing?: { readonly id: string; readonly body?: unknown };
  /** Whether the specification documents a 429. */
  readonly limited?: true;
}
