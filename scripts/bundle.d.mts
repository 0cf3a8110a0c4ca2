/** Declares the types of bundle.mjs. */
import type { CommandFile } from './manifest.d.mts';

export function bundle(
  files: readonly CommandFile[],
  changes?: Readonly<Record<string, unknown>>,
  options?: { readonly hasSourceMaps?: boolean },
): Promise<{
  /** The files of dist by path. */
  outputs: ReadonlyMap<string, Buffer>;
  /** The inputs of each file, by path. */
  inputs: ReadonlyMap<string, readonly string[]>;
}>;
