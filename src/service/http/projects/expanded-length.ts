/** Limits checks that are small as a request and large as rows, because they share files: each row holds the files that its check imports. */
import type { JsonObject } from '../../../base/object.ts';
import { Problem } from '../api/problem.ts';
import type { PayloadContext } from './payloads.ts';

/** `limit`: characters of all checks with their files. `advice`: what to do instead. Throws `Problem` 413. */
export function assertExpandedLength(
  checks: readonly JsonObject[],
  sharedFiles: PayloadContext['sharedFiles'],
  { limit, advice }: { readonly limit: number; readonly advice: string },
): void {
  let length = 0;
  for (const check of checks) {
    const { dependencies } = check;
    for (const index of Array.isArray(dependencies) ? dependencies : [])
      length += sharedFiles[Number(index)]?.content.length ?? 0;
    length += JSON.stringify(check).length;
    if (length > limit)
      throw new Problem(
        413,
        `The checks with the files that they import are larger than ${limit / 1024 ** 2} MB: ${advice}`,
      );
  }
}
