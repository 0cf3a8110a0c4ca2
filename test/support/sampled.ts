/** How much of a long test runs: files named `*.sampled.test.ts` run a sample in `npm test`, and all of it in `npm run test:soak`. */

const isSoak = process.env.SONDE_TEST_SOAK === '1';

/** Returns how often something is tried. */
export const runs = (sample: number, full: number): number => (isSoak ? full : sample);

/** Returns cases of a table: `count` of them, evenly spread, as the sample. */
export function sampleOf<T>(cases: readonly T[], count: number): readonly T[] {
  if (isSoak) return cases;
  const step = Math.max(1, Math.floor(cases.length / count));
  return cases.filter((_, index) => index % step === 0);
}
