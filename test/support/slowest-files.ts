/** Lists the slowest test files at the end of a whole run: the first places to save time. */
import type { Reporter, TestModule } from 'vitest/node';

const LISTED = 20;

const secondsOf = (module: TestModule): number => {
  const { collectDuration, setupDuration, duration } = module.diagnostic();
  return (collectDuration + setupDuration + duration) / 1000;
};

export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= LISTED) return;
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, seconds: secondsOf(module) }))
      .toSorted((left, right) => right.seconds - left.seconds)
      .slice(0, LISTED);
    console.log(`The slowest ${LISTED} files, in seconds:`);
    for (const { name, seconds } of slowest) console.log(`${seconds.toFixed(1).padStart(7)}  ${name}`);
  }
}
