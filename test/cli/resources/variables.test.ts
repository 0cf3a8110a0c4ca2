/** `sonde variables`: where values come from, and that a secret one is never seen. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as get } from '../../../commands/variables/get.ts';
import { command as list } from '../../../commands/variables/list.ts';
import { command as set } from '../../../commands/variables/set.ts';
import { runLine } from '../../support/command.ts';
import { askedLine } from '../../support/person.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { envOf, well } from './journey.ts';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

const storedValue = async (key: string) => {
  const { accountId, store } = service;
  return (await store.variables.byKey(accountId, key))?.body.value;
};

describe('variables', () => {
  it('takes a value that is piped in, without the line break at its end', async () => {
    const env = envOf(service);
    const made = await well(set, ['SHOP_URL'], { env, input: 'https://shop.test/?a=b c\n' });
    expect(made.stderr).toBe('Created the variable SHOP_URL.\n');
    expect(await storedValue('SHOP_URL')).toBe('https://shop.test/?a=b c');
    const changed = await well(set, ['SHOP_URL', '--value-file', 'url'], {
      env,
      files: { url: 'https://b.test\r\n' },
    });
    expect(changed.stderr).toBe('Updated the variable SHOP_URL.\n');
    expect((await well(get, ['SHOP_URL', '--jq', '.value'], { env })).stdout).toBe('https://b.test\n');
  });

  it('is told before anything is asked where its key is none, without what may be its value', async () => {
    const { code, stdout, stderr } = await runLine(set, ['TOKEN=hunter2'], {
      env: envOf(service),
      input: 'x',
    });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('<key> must contain only letters, digits and _');
    expect(stderr).toContain('--value-file');
    expect(stderr).not.toContain('hunter2');
  });

  it('asks a person for it unseen, and asks again before one is replaced', async () => {
    const env = envOf(service);
    const typed = await askedLine(set, ['PASSWORD', '--secret'], { env }, [
      'Value of PASSWORD:',
      'hunter2\n',
    ]);
    expect(typed).toMatchObject({ code: 0 });
    expect(typed.stderr + typed.stdout).not.toContain('hunter2');
    expect(await storedValue('PASSWORD')).toBe('hunter2');
    const no = await askedLine(
      set,
      ['PASSWORD'],
      { env },
      ['Value of PASSWORD:', 'other\n'],
      ['Replace the value of PASSWORD?', 'n\n'],
    );
    expect(no.code).toBe(9);
    expect(await storedValue('PASSWORD')).toBe('hunter2');
  });

  it('keeps a secret a secret where only its value is given, and never shows it', async () => {
    const env = envOf(service);
    await well(set, ['TOKEN', '--secret'], { env, input: 'first-value' });
    const again = await well(set, ['TOKEN', '--json'], { env, input: 'second-value' });
    expect(JSON.parse(again.stdout)).toMatchObject({ key: 'TOKEN', secret: true });
    const dry = await well(set, ['TOKEN', '--dry-run'], { env, input: 'third-value' });
    const told = [
      again,
      dry,
      await well(get, ['TOKEN', '--json'], { env }),
      await well(list, ['--json'], { env }),
    ];
    for (const { stdout, stderr } of told) expect(stdout + stderr).not.toMatch(/(first|second|third)-value/);
    expect(dry.stdout).toContain('PUT');
    expect(await storedValue('TOKEN')).toBe('second-value');
  });

  it('has no flag for the value, and refuses none at all', async () => {
    const env = envOf(service);
    const flag = await runLine(set, ['A', '--value', 'x'], { env });
    expect(flag).toMatchObject({ code: 2, stderr: expect.stringContaining('--value') });
    const nothing = await runLine(set, ['A'], { env, input: '' });
    expect(nothing).toMatchObject({ code: 2, stderr: expect.stringContaining('stdin is empty') });
    expect(await storedValue('A')).toBeUndefined();
  });
});
