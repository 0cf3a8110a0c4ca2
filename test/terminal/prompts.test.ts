/** Asking a person, and refusing where there is none. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { askChoice, askChoices, askSecret, askText, confirm } from '../../src/terminal/index.ts';
import { createTestTerminal } from '../support/terminal.ts';

afterEach(() => vi.unstubAllEnvs());

const person = () => createTestTerminal({ isTTY: true });

describe('a question', () => {
  it.each([
    ['y\r', true],
    ['n\r', false],
    ['\r', false],
  ])('answered by %j is %s, asked on stderr', async (keys, answer) => {
    const test = person();
    const asked = confirm(test.terminal, { message: 'Delete \x1b[2Jsnippet 7?', flag: '--yes' });
    await test.saw('Delete snippet 7?');
    test.type(keys);
    expect(await asked).toBe(answer);
    expect(test.stdout()).toBe('');
  });

  it.each([
    ['a pipe', { isTTY: false }],
    ['--no-input', { isTTY: true, flags: { input: false } }],
    ['CI', { isTTY: true, env: { CI: 'true' } }],
  ])('is not asked with %s; the flag to give is named', async (_what, options) => {
    const test = createTestTerminal(options);
    await expect(confirm(test.terminal, { message: 'Delete?', flag: '--yes' })).rejects.toMatchObject({
      exitCode: 2,
      message: 'nobody can be asked here: Delete?',
      hint: 'give --yes',
      details: [{ place: '--yes' }],
    });
    expect(test.stderr()).toBe('');
  });

  it('ends with 130 on Ctrl-C', async () => {
    const test = person();
    const asked = confirm(test.terminal, { message: 'Delete?', flag: '--yes' });
    await test.saw('Delete?');
    test.type('\x03');
    await expect(asked).rejects.toMatchObject({ kind: 'cancelled', exitCode: 130 });
  });

  it('ends with its signal', async () => {
    const test = person();
    const stop = new AbortController();
    const asked = confirm(test.terminal, { message: 'Delete?', flag: '--yes', signal: stop.signal });
    await test.saw('Delete?');
    stop.abort(new Error('enough'));
    await expect(asked).rejects.toThrow('enough');
  });

  it('is asked without colour where colour is unwanted', async () => {
    vi.stubEnv('FORCE_COLOR', '1'); // what the prompts library goes by
    const test = createTestTerminal({ isTTY: true, env: { NO_COLOR: '1' } });
    const asked = confirm(test.terminal, { message: 'Delete?', flag: '--yes' });
    await test.saw('Delete?');
    test.type('y\r');
    await asked;
    expect(test.stderr()).not.toMatch(/\p{Cc}\[\d+m/u);
  });
});

describe('answers', () => {
  it('may be text, checked until it is right', async () => {
    const test = person();
    const asked = askText(test.terminal, {
      message: 'Name',
      flag: '--name',
      check: (answer) => (answer === '' ? 'a name is needed' : undefined),
    });
    await test.saw('Name');
    test.type('\r');
    await test.saw('a name is needed');
    test.type('Home\r');
    expect(await asked).toBe('Home');
  });

  it('may be secret, and are then never shown', async () => {
    const test = person();
    const asked = askSecret(test.terminal, { message: 'API key', flag: 'SONDE_API_KEY' });
    await test.saw('API key');
    test.type('hush\r');
    expect(await asked).toBe('hush');
    expect(test.stderr()).not.toContain('hush');
  });

  it('may be one or many of several', async () => {
    const choices = ['UDP', 'TCP'].map((value) => ({ value, name: value }));
    const one = person();
    const asked = askChoice(one.terminal, { message: 'Protocol', flag: '--protocol', choices });
    await one.saw('TCP');
    one.type('\x1b[B\r');
    expect(await asked).toBe('TCP');

    const many = person();
    const chosen = askChoices(many.terminal, { message: 'Protocols', flag: '--protocol', choices });
    await many.saw('TCP');
    many.type(' \x1b[B \r');
    expect(await chosen).toEqual(['UDP', 'TCP']);
  });
});
