/**
 * A thousand runs through agents in networks of their own, whose lines are cut and which are killed and drained: `npm run agents --
 * [--runs 1000] [--seconds 240] [--seed 1]`. Exits 1 where a run has not exactly one final result. As root, on Linux; some ten
 * minutes, since what a killed agent held is made again after five.
 */
import { parseArgs } from 'node:util';
import { runCourse } from '../../test/support/apart/course.ts';
import { whyNoNetworks } from '../../test/support/apart/network.ts';
import { openApart } from '../../test/support/apart/world.ts';

export async function main(given: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...given],
    options: {
      runs: { type: 'string', default: '1000' },
      seconds: { type: 'string', default: '240' },
      seed: { type: 'string', default: String(Date.now() % 100_000) },
    },
  });
  const why = whyNoNetworks();
  if (why !== undefined) {
    console.error(`There can be no networks here: ${why}.`);
    return 2;
  }
  const seed = Number(values.seed);
  console.log(`seed ${seed}`);
  const apart = await openApart();
  try {
    const account = await runCourse(apart, {
      ...{ runs: Number(values.runs), spreadMs: Number(values.seconds) * 1000, kills: true, seed },
      say: (line) => console.log(`${new Date().toISOString()} ${line}`),
    });
    console.log(account);
    return account.wrong.length > 0 || account.left > 0 ? 1 : 0;
  } finally {
    await apart.close();
  }
}
