/** The example in bash: a release from its tests to its end, however that comes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { useWorld } from '../e2e/world.ts';
import { runLogged } from './process.ts';
import { withSonde } from './programs.ts';
import { endlessCheck, haveChecks, makeProject, settingsOf, smokeCheck } from './project.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/release.sh');
const DEPLOY = './scripts/deploy.sh';

const world = useWorld();

interface Sessions {
  readonly entries: readonly { readonly checkSessionId: string }[];
}

interface Options {
  /** Variables of the example. */
  readonly variables?: Readonly<Record<string, string>>;
  /** A check that is there once the release was deployed. */
  readonly deployed?: object;
  /** Shell that runs after each call of sonde. */
  readonly after?: string;
  /** What happens once the log holds the text; all that runs is in the process group. */
  readonly once?: readonly [text: string, act: (group: number) => void];
}

const signalled = (name: NodeJS.Signals) => (group: number) => void process.kill(group, name);

/** Runs the example in a repository of its own. */
async function release({ variables = {}, deployed, after, once }: Options = {}) {
  const project = makeProject();
  onTestFinished(project.remove);
  writeFileSync(join(project.folder, 'deployed.json'), JSON.stringify(deployed ?? null));
  const deploy = deployed ? `${DEPLOY} && sonde checks create-dns -f deployed.json -o jsonl >&2` : DEPLOY;
  const call = 'printf "%s\\n" >called';
  const settings = { ...settingsOf(world), DEPLOY: deploy, CALL: call, ...variables };
  const env = withSonde(project, settings, after);
  let hasHappened = false;
  const { code, log } = await runLogged(EXAMPLE, [], { cwd: project.folder, env }, (log, pid) => {
    if (!once || hasHappened || !log.includes(once[0])) return;
    hasHappened = true;
    once[1](-pid);
  });
  const read = (name: string): string => readFileSync(join(project.folder, name), 'utf8');
  return { code, log, done: project.done(), read };
}

it('tests, deploys and promotes where all checks pass, and calls nobody', async () => {
  await haveChecks(world, smokeCheck(world));
  const { code, log, done, read } = await release();
  expect(code, log).toBe(0);
  expect(done).toEqual(['deploy', 'promote']);
  expect(read('sonde.xml')).toMatch(/tests="1" failures="0" errors="0"/);
  expect(() => read('called')).toThrow('ENOENT');
});

describe('before it deploys', () => {
  it('ends where a check fails already: that says nothing about the release', async () => {
    await haveChecks(world, smokeCheck(world, 'missing.test'));
    const { code, done, read } = await release();
    expect(code).toBe(1);
    expect(done).toEqual([]);
    expect(read('called')).toBe('Release ended with 1: nothing was deployed\n');
  });

  it('ends where nothing has the tag, or the key is wrong: so would the gate', async () => {
    expect(await release()).toMatchObject({ done: [] });
    const { log, done } = await release({ variables: { SONDE_API_KEY: 'wrong' } });
    expect(log).toContain('The API key is not valid');
    expect(done).toEqual([]);
  });

  it('ends where what starts the sessions fails, although what waits for them was content', async () => {
    await haveChecks(world, smokeCheck(world));
    const { code, log, done } = await release({ after: '[ "$1 $2" != "test-sessions run" ]' });
    expect(log).toMatch(/^✓ /m);
    expect(code).toBe(1);
    expect(done).toEqual([]);
  });
});

describe('once it has deployed', () => {
  it('rolls back where a check fails, and keeps the report', async () => {
    await haveChecks(world, smokeCheck(world));
    const { code, done, read } = await release({ deployed: smokeCheck(world, 'missing.test') });
    expect(code).toBe(1);
    expect(done).toEqual(['deploy', 'roll-back']);
    expect(read('sonde.xml')).toMatch(/tests="2" failures="1" errors="0"/);
    expect(read('called')).toBe('Release ended with 1: bad, and rolled back\n');
  });

  it('says so where the roll-back failed, too', async () => {
    await haveChecks(world, smokeCheck(world));
    const deployed = smokeCheck(world, 'missing.test');
    const { code, read } = await release({ deployed, variables: { ROLL_BACK: 'exit 3' } });
    expect(code).toBe(3);
    expect(read('called')).toBe('Release ended with 3: bad, and not rolled back: do it by hand\n');
  });

  it('neither promotes nor rolls back where the service has gone out of reach', async () => {
    await haveChecks(world, smokeCheck(world));
    onTestFinished(async () => {
      await world.service.kill();
      await world.service.start();
    });
    const variables = { DEPLOY: `${DEPLOY} && kill -KILL ${world.service.pid()}` };
    const { code, done, read } = await release({ variables });
    expect(code).toBe(6);
    expect(done).toEqual(['deploy']);
    expect(read('called')).toBe(
      'Release ended with 6: no verdict, deployed and neither promoted nor rolled back\n',
    );
    expect(read('sonde.xml')).toMatch(/<error /);
  });

  it('neither promotes nor rolls back where a check still runs at the deadline', async () => {
    await haveChecks(world, smokeCheck(world));
    const variables = { TIMEOUT: '5s' };
    const { code, done, read } = await release({ deployed: await endlessCheck(world), variables });
    expect(code).toBe(7);
    expect(done).toEqual(['deploy']);
    expect(read('called')).toContain('no verdict');
  });

  it('neither promotes nor rolls back where somebody cancels a session', async () => {
    await haveChecks(world, smokeCheck(world));
    const cancel = async () => {
      const { entries } = await world.service.make<Sessions>('GET /v2/check-sessions?limit=2');
      for (const { checkSessionId } of entries)
        await world.service.api(`POST /v1/check-sessions/${checkSessionId}/cancel`);
    };
    const { code, done, read } = await release({
      deployed: await endlessCheck(world),
      once: ['Started 2 sessions', () => void cancel()],
    });
    expect(code).toBe(8);
    expect(done).toEqual(['deploy']);
    expect(read('called')).toContain('a check was cancelled');
  });

  it('tells a promotion that was broken off from one that was never begun', async () => {
    await haveChecks(world, smokeCheck(world));
    const { code, read } = await release({ variables: { PROMOTE: 'exit 4' } });
    expect(code).toBe(4);
    expect(read('called')).toBe('Release ended with 4: broken off while promoting, look at what is there\n');
  });
});

describe('interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'by %s while it waits: neither promoted nor rolled back, and somebody is told',
    async (name, number) => {
      await haveChecks(world, smokeCheck(world));
      const deployed = await endlessCheck(world);
      const { code, log, done, read } = await release({
        deployed,
        once: ['Started 2 sessions', signalled(name)],
      });
      expect(code, log).toBe(number);
      expect(done).toEqual(['deploy']);
      expect(log).toContain('Still running');
      expect(read('called')).toBe(
        `Release ended with ${number}: deployed and neither promoted nor rolled back\n`,
      );
    },
  );

  it('while it deploys: the gate is not asked', async () => {
    await haveChecks(world, smokeCheck(world));
    const variables = { DEPLOY: `${DEPLOY} && echo deploying && sleep 60` };
    const { code, done, read } = await release({ variables, once: ['deploying', signalled('SIGINT')] });
    expect(code).toBe(130);
    expect(done).toEqual(['deploy']);
    expect(read('called')).toContain('broken off while deploying');
  });
});
