/** The order of the test files: those that last for minutes come first, so that no worker waits for the last of them at the end. */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'cli/manifest/pairs/pairs-errors.sampled',
  'cli/manifest/pairs/pairs-kills.sampled',
  'examples/images.soak',
  'runners/agentic/pages.soak',
  'service/notify/alerts/topologies/topologies.sampled',
  'gate/wait/schedules/schedules.sampled',
  'service/database/postgres.soak',
  'package.soak',
  'e2e/browser-install.soak',
  'runners/browser/looping-page.soak',
  'e2e/endurance.soak',
];

const rankOf = ({ moduleId }: TestSpecification): number => {
  const at = LONGEST.findIndex((name) => moduleId.endsWith(`/test/${name}.test.ts`));
  return at < 0 ? LONGEST.length : at;
};

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}
