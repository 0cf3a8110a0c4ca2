/** A service becomes a file and the file the same service, whatever it holds and whatever YAML could mistake in it. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apply } from '../../commands/apply.ts';
import { command as exportCommand } from '../../commands/export.ts';
import { listCredentials } from '../../src/cli/manifest/credentials.ts';
import { envOf, well } from '../cli/resources/journey.ts';
import { runs } from '../support/sampled.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { type Drawn, drawn, makeAll, SECRET } from './whole-account.ts';

const RUNS = runs(2, 6);
const services: TestService[] = [];
let turn = 0;
beforeAll(async () => {
  services.push(await startTestService(), await startTestService());
});
afterAll(() => Promise.all(services.map((service) => service.close())));

/** An account without anything in it, of the one service and the other in turn: slugs belong to a service. */
async function account(): Promise<TestService> {
  const service = services[turn++ % 2] as TestService;
  return { ...service, ...(await service.newAccount()) };
}

/** Returns the credentials of an account's channels as a file of values: answers have only their masks. */
async function credentialsOf({ store, accountId }: TestService): Promise<{ readonly values: string }> {
  const channels = await store.alertChannels.list(accountId);
  const lines = channels.flatMap(({ body }) =>
    listCredentials('alertChannels', body).map(
      ({ name, label }) => `${name}=${(body.config as Record<string, unknown>)[label]}`,
    ),
  );
  return { values: lines.join('\n') };
}

describe('an export', () => {
  it('is a file that makes the same service anew, whatever it holds', async () => {
    const made: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(drawn(false), async (whole: Drawn) => {
        const [one, two] = [await account(), await account()];
        const counts = await makeAll(one, whole, String(turn));
        for (const [kind, count] of Object.entries(counts)) made[kind] = (made[kind] ?? 0) + count;
        const first = await well(exportCommand, [], { env: envOf(one) });
        const files = await credentialsOf(one);
        const given = { env: envOf(two), input: first.stdout, files };
        await well(apply, ['-', '--yes', '--secrets', 'values'], given);
        const second = await well(exportCommand, [], { env: envOf(two) });
        expect(second.stdout).toBe(first.stdout);
        const again = await well(apply, ['-', '--yes'], { env: envOf(two), input: first.stdout });
        expect(again.stdout).not.toMatch(/^(created|updated|renamed)/m);
      }),
      { numRuns: RUNS },
    );
    // A kind of which nothing was ever made is not tested.
    if (RUNS > 20)
      expect(
        Object.values(made).every((count) => count > 0),
        JSON.stringify(made),
      ).toBe(true);
  }, 1_200_000);

  it('tells nothing that is hidden, and seeds a service without it once and for all', async () => {
    await fc.assert(
      fc.asyncProperty(drawn(true), async (whole: Drawn) => {
        const [one, two] = [await account(), await account()];
        await makeAll(one, whole, String(turn));
        const first = await well(exportCommand, [], { env: envOf(one) });
        expect(first.stdout + first.stderr).not.toContain(SECRET);
        // What is there keeps what it has, and what is new does without.
        const back = await well(apply, ['-', '--yes'], { env: envOf(one), input: first.stdout });
        expect(back.stdout).not.toMatch(/^(created|updated|renamed)/m);
        const given = { env: envOf(two), input: first.stdout, files: await credentialsOf(one) };
        await well(apply, ['-', '--yes', '--secrets', 'values'], given);
        const again = await well(apply, ['-', '--yes'], { env: envOf(two), input: first.stdout });
        expect(again.stdout).not.toMatch(/^(created|updated|renamed)/m);
      }),
      { numRuns: Math.ceil(RUNS / 2) },
    );
  }, 1_200_000);
});
