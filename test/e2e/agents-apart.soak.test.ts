/** Agents in networks of their own, whose lines are cut and which are drained, with a service that is killed: a short course. */
import { expect, it } from 'vitest';
import { runCourse } from '../support/apart/course.ts';
import { whyNoNetworks } from '../support/apart/network.ts';
import { openApart } from '../support/apart/world.ts';
import { skip } from '../support/needs.ts';

it('every run has exactly one final result, through cut lines, drained agents and a killed service', async (context) => {
  const why = whyNoNetworks();
  if (why !== undefined) skip(context, why);
  const apart = await openApart();
  try {
    const { wrong, left, runs, passed, drains } = await runCourse(apart, {
      ...{ runs: 20, spreadMs: 2000, kills: false, seed: 7, say: () => {} },
    });
    expect({ wrong, left, passed }).toEqual({ wrong: [], left: 0, passed: runs });
    expect(new Set(drains)).toEqual(new Set([0]));
  } finally {
    await apart.close();
  }
});
