/** What the build writes of every command for those who complete words. */
import type { Takes } from './options.ts';

export interface ReferenceFlag {
  /** Without dashes. */
  readonly flag: string;
  readonly takes: Takes;
  readonly summary: string;
  readonly short?: string;
  readonly negative?: 'also' | 'only';
  readonly allowed?: readonly string[];
  readonly placeholder?: string;
}

export interface ReferenceEntry {
  readonly name: string;
  readonly summary: string;
  readonly arguments: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly variadic: boolean;
  }[];
  readonly flags: readonly ReferenceFlag[];
}
