/** Filters the files of a result by kind and name. */
import { matchGlob } from '../../../base/match-glob.ts';
import type { listResultAssets, ResponseOf } from '../../../contract/index.ts';

type Assets = ResponseOf<typeof listResultAssets>;

export function presentAssets(
  assets: Readonly<Assets['assets']>,
  { type, name }: { readonly type?: string; readonly name?: string },
): Assets {
  // The name of a file may contain characters of globs.
  const isNamed = (file: string) =>
    name === undefined || file.toLowerCase() === name.toLowerCase() || matchGlob(name, file);
  const shown = assets.filter((asset) => (type === undefined || asset.type === type) && isNamed(asset.name));
  return { assets: shown, truncated: false, entriesReturned: shown.length, entriesTotal: shown.length };
}
