/** Prints one line after a run of the tests: which programs were missing, how many tests they cost, and how to install them. */
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import type {} from './needs.ts';

export class SkipSummary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]).filter(hasReason);
    const counts = new Map<string, number>();
    const packages = new Set<string>();
    for (const test of skipped) {
      const { missing } = test.meta();
      const reason = missing?.program ?? noteOf(test) ?? '';
      counts.set(reason, (counts.get(reason) ?? 0) + 1);
      if (missing) packages.add(missing.debian);
    }
    if (skipped.length === 0) return;
    const reasons = [...counts].map(([reason, count]) => `${reason} (${count})`).join(', ');
    const install = packages.size === 0 ? '' : ` Debian: apt-get install ${[...packages].sort().join(' ')}`;
    console.log(`Skipped ${skipped.length} tests because these are missing: ${reasons}.${install}`);
  }
}

const noteOf = (test: TestCase): string | undefined => {
  const result = test.result();
  return result.state === 'skipped' ? result.note : undefined;
};

/** Whether a test asked to be skipped. One that a filter on the command line leaves out has no reason. */
const hasReason = (test: TestCase): boolean => noteOf(test) !== undefined;
