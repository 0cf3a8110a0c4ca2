/** Suites that run by a tag, that are cancelled, and what their environment holds. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BAD, GOOD, openSuites, type Suites } from './support.ts';

let suites: Suites;
beforeAll(async () => {
  suites = await openSuites();
});
afterAll(() => suites.close());

describe('a suite', () => {
  it('runs the tests of a tag, and needs no configuration', async () => {
    const result = await suites.run({ 'a.spec.ts': GOOD, 'b.spec.ts': BAD }, { pwTags: ['smoke'] });
    expect(result.errors).toEqual([]);
    expect(result.details).toMatchObject({ counts: { passed: 1, failed: 0 } });
  });

  it('can be cancelled', async () => {
    const slow = `import { test } from '@playwright/test'; test('slow', () => new Promise(() => {}));`;
    const result = await suites.run({ 'a.spec.ts': slow }, {}, { cancelAfterMs: 1000 });
    expect(result).toMatchObject({ isCancelled: true, hasFailures: false, hasErrors: false });
  });

  it('has SONDE in its environment, CI in test sessions alone, and shows no secret', async () => {
    const looking = `
import { test, expect } from '@playwright/test';
test('environment', () => { console.log('SONDE=' + process.env.SONDE, 'CI=' + process.env.CI, 'secret', process.env.TOKEN); });
`;
    const environmentVariables = [{ key: 'TOKEN', value: 'hunter2hunter2' }];
    const said = async (isTest: boolean) => {
      const more = { secrets: ['hunter2hunter2'] };
      const { details } = await suites.run({ 'a.spec.ts': looking }, { isTest, environmentVariables }, more);
      return JSON.stringify(details.console);
    };
    expect(await said(false)).toContain('SONDE=1 CI=undefined secret ***');
    expect(await said(true)).toContain('SONDE=1 CI=true secret ***');
  });
});
