/** What is asked where an id is missing, and what is said instead where nobody can be asked. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { sonde, sondeInTerminal } from '../support/binary.ts';
import { emptyHome, silentPort } from '../support/e2e.ts';
import { fresh, useWorld } from './world.ts';

const world = useWorld();

describe('an id that is missing', () => {
  it('is chosen from the most recent things', async () => {
    const name = fresh('picked');
    const made = await world.service.make<{ readonly id: string }>('POST /v1/checks/dns', {
      ...{ name, heartbeat: {}, script: '', request: { query: 'good.test' } },
    });
    const { code, screen } = await sondeInTerminal(['checks', 'results', '--no-color'], {
      env: world.service.env,
      columns: 140,
      keys: [
        ['Select a check:', name],
        [`> ${name}`, '\r'],
      ],
    });
    expect(code).toBe(0);
    expect(screen).toContain(`sonde checks results ${made.id}`);
  });

  it('is typed where the deployment lists none', async () => {
    const { code, screen } = await sondeInTerminal(['delete', 'snippet', '--no-color'], {
      env: {
        ...world.service.env,
        SONDE_BASE_URL: `${world.service.url}/nowhere`,
        SONDE_API_KEY: world.service.key,
      },
      keys: [
        ['IDs of snippets', 'abc\r'],
        ['The value must be', '\x157\r'],
        ['Delete the snippet 7?', 'n\r'],
      ],
    });
    expect(code).toBe(9);
    expect(screen).toContain('Cannot list snippets; enter an ID instead.');
  });
});

describe('where nobody can be asked', () => {
  it.each([
    ['without a terminal', {}, []],
    ['with -f -', {}, ['-f', '-']],
  ])('ends with 2 %s, naming what is missing, without a connection', async (_how, more, flags) => {
    const { home, remove } = await emptyHome();
    const port = await silentPort();
    onTestFinished(async () => {
      await Promise.all([remove(), port.close()]);
    });
    const env = {
      ...world.service.env,
      HOME: home,
      SONDE_BASE_URL: port.url,
      SONDE_API_KEY: 'key-of-a-test',
      ...more,
    };
    const outcome = await sonde(['checks', 'create-dns', ...flags], { env, stdin: '{}' });
    expect(outcome).toMatchObject({ code: 2, stdout: '' });
    expect(outcome.stderr).toContain('required flags: --name, --query');
    expect(port.connections()).toBe(0);
  });

  it.each([
    ['--no-input', {}, ['--no-input']],
    ['CI', { CI: 'true' }, []],
  ])('ends with 2 in a terminal with %s', async (_how, more, flags) => {
    const { code, screen } = await sondeInTerminal(['checks', 'create-dns', ...flags], {
      env: { ...world.service.env, ...more },
    });
    expect(code).toBe(2);
    expect(screen).toContain('required flags: --name, --query');
  });
});
