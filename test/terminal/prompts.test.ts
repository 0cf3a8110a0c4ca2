/** Asking a person, and refusing where there is none. */
import fc from 'fast-check';
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
    ['a pipe', { isTTY: false }, 'stdin is not a terminal'],
    ['--no-input', { isTTY: true, flags: { input: false } }, 'prompts are disabled'],
    ['CI', { isTTY: true, env: { CI: 'true' } }, 'prompts are disabled'],
  ])('is not asked with %s; the flag to give is named', async (_what, options, when) => {
    const test = createTestTerminal(options);
    await expect(confirm(test.terminal, { message: 'Delete?', flag: '--yes' })).rejects.toMatchObject({
      exitCode: 2,
      message: `confirmation required: pass --yes when ${when}`,
      hint: 'unanswered prompt: Delete?',
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
      validate: (answer) => (answer === '' ? 'a name is needed' : undefined),
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

describe('a list', () => {
  const plainly = () => createTestTerminal({ isTTY: true, flags: { color: false } });
  const choices = [
    { value: 'eu-west-1', name: 'eu-west-1', description: 'Ireland', group: 'Europe' },
    { value: 'eu-central-1', name: 'eu-central-1', description: 'Frankfurt', group: 'Europe' },
    { value: 'us-east-1', name: 'us-east-1', description: 'N. Virginia', group: 'North America' },
  ];

  it('is searched by names, descriptions and headings, and gives what was chosen in its own order', async () => {
    const test = plainly();
    const asked = askChoices(test.terminal, { message: 'Where', flag: '--locations', choices });
    await test.saw('Europe');
    test.type('virg');
    await test.saw('Where virg');
    test.type('\r');
    await test.saw('1 selected: us-east-1');
    test.type('frank');
    await test.saw('Where frank');
    test.type('\r');
    await test.saw('2 selected: eu-central-1, us-east-1');
    test.type('\r');
    expect(await asked).toEqual(['eu-central-1', 'us-east-1']);
  });

  it('wants at least one where one is needed', async () => {
    const test = plainly();
    const asked = askChoices(test.terminal, {
      message: 'Where',
      flag: '--locations',
      choices,
      required: true,
    });
    await test.saw('Europe');
    test.type('\r');
    await test.saw('select at least one');
    test.type(' \r');
    expect(await asked).toEqual(['eu-west-1']);
  });

  it.each(['\x03', '\x04'])('is gone from the screen where it is left by %j', async (key) => {
    const test = plainly();
    const asked = askChoice(test.terminal, { message: 'Where', flag: '--locations', choices });
    await test.saw('Frankfurt');
    test.type(key);
    await expect(asked).rejects.toMatchObject({ exitCode: 130 });
    // Rows are erased from the last to the first, and the cursor is shown.
    const erased = '\x1b[2K\x1b[1A'.repeat(5);
    expect(test.stderr().endsWith(`${erased}\x1b[2K\x1b[G\x1b[G\x1b[?25h`)).toBe(true);
  });
});

describe('a list that grows while it is looked at', () => {
  const choice = (number: number) => ({
    value: `id-${number}`,
    name: `Check ${number}`,
    description: 'DNS',
    search: `whole-id-${number}`,
  });
  const page = (from: number) => Array.from({ length: 100 }, (_, index) => choice(from + index));
  const question = { message: 'Which check:', flag: '<id>', choices: page(0) };

  it('finds what comes later, also by what is not shown, and says that more is coming', async () => {
    const test = createTestTerminal({ isTTY: true, flags: { color: false } });
    let goOn = (): void => {};
    const waits = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    async function* more() {
      yield page(100);
      await waits;
      yield page(200);
    }
    const asked = askChoice(test.terminal, { ...question, more: more() });
    await test.saw('loading more (200 loaded)');
    test.type('WHOLE-id-287');
    await test.saw('no match for "WHOLE-id-287"');
    goOn();
    await test.saw('> Check 287');
    test.type('\r');
    expect(await asked).toBe('id-287');
  });

  it('has the one of the very name first', async () => {
    const test = createTestTerminal({ isTTY: true, flags: { color: false } });
    const choices = ['Check 11', 'Check 1 of 1', 'check 1'].map((name) => ({ value: name, name }));
    const asked = askChoice(test.terminal, { message: 'Which check:', flag: '<id>', choices });
    await test.saw('Check 11');
    test.type('CHECK 1');
    await test.saw('> check 1');
    test.type('\r');
    expect(await asked).toBe('check 1');
  });

  it('lets what is there be chosen where the rest cannot be had, and says so', async () => {
    const test = createTestTerminal({ isTTY: true, flags: { color: false } });
    async function* more(): AsyncGenerator<ReturnType<typeof page>> {
      yield* [];
      throw new Error('no more');
    }
    const asked = askChoices(test.terminal, { ...question, more: more() });
    await test.saw('could not load the rest');
    test.type('42\r');
    await test.saw('1 selected: Check 42');
    test.type('\r');
    expect(await asked).toEqual(['id-42']);
  });

  it('draws no more of ten thousand than the window holds, and marks all that are shown', async () => {
    const test = createTestTerminal({ isTTY: true, rows: 12, flags: { color: false } });
    async function* more() {
      for (let from = 100; from < 10_000; from += 100) yield page(from);
    }
    const asked = askChoices(test.terminal, { ...question, more: more() });
    await test.saw('Which check:');
    test.type('9999');
    await test.saw('> [ ] Check 9999');
    test.type('\x7f\x7f\x7f\x7f\t');
    await test.saw('10000 selected');
    test.type('\r');
    expect(await asked).toHaveLength(10_000);
    expect(test.stderr()).not.toContain('Check 5000 ');
  });

  it('is read out as far as it was there, and finds the others by their names', async () => {
    const test = createTestTerminal({ isTTY: true, flags: { plain: true } });
    async function* more() {
      yield page(100);
    }
    const asked = askChoice(test.terminal, { ...question, more: more() });
    await test.saw('There are more choices');
    test.type('check 150\n');
    expect(await asked).toBe('id-150');
    expect(test.stderr()).not.toContain('Check 101');
  });
});

describe('questions that are read out', () => {
  const listener = () => createTestTerminal({ isTTY: true, flags: { plain: true } });
  const choices = [
    { value: 'A', name: 'A', description: 'IPv4 addresses', group: 'Addresses' },
    { value: 'MX', name: 'MX', description: 'mail', group: 'Others' },
  ];

  it('are numbered lines, of which nothing is drawn again', async () => {
    const test = listener();
    const asked = askChoice(test.terminal, { message: 'Record type:', flag: '--record-type', choices });
    await test.saw('Number or name:');
    expect(test.stderr()).toBe(
      'Record type:\nAddresses:\n  1. A, IPv4 addresses\nOthers:\n  2. MX, mail\nNumber or name: ',
    );
    test.type('7\n');
    await test.saw('Invalid: 7 is not one of the 2 choices.');
    test.type('2\n');
    expect(await asked).toBe('MX');
    expect(test.stderr()).not.toContain('\x1b');
  });

  it('take no name that several have', async () => {
    const test = listener();
    const twins = ['1', '2'].map((value) => ({ value, name: 'API' }));
    const asked = askChoice(test.terminal, { message: 'Which snippet:', flag: '<ids>', choices: twins });
    await test.saw('Number or name:');
    test.type('api\n');
    await test.saw('Invalid: "api" is ambiguous: enter the number.');
    test.type('2\n');
    expect(await asked).toBe('2');
  });

  it('take several numbers, names or parts of names at once', async () => {
    const test = listener();
    const asked = askChoices(test.terminal, { message: 'Record types:', flag: '--record-type', choices });
    await test.saw('(Enter for none):');
    test.type('mail, 1\n');
    expect(await asked).toEqual(['A', 'MX']);
  });

  it('take yes and no, and text that is right', async () => {
    const yes = listener();
    const sure = confirm(yes.terminal, { message: 'Delete?', flag: '--yes' });
    await yes.saw('Delete? (yes or no; Enter for no)');
    yes.type('maybe\n');
    await yes.saw('Invalid: answer yes or no.');
    yes.type('y\n');
    expect(await sure).toBe(true);

    const text = listener();
    const name = askText(text.terminal, { message: 'Name:', flag: '--name', default: 'Home' });
    await text.saw('Name: (Enter for Home)');
    text.type('\n');
    expect(await name).toBe('Home');
  });

  it('show no secret', async () => {
    const test = listener();
    const asked = askSecret(test.terminal, { message: 'API key:', flag: 'SONDE_API_KEY' });
    await test.saw('API key: (input is hidden)');
    test.type('hush\r');
    expect(await asked).toBe('hush');
    expect(test.stderr()).not.toContain('hush');
  });
});

describe('what is typed ahead', () => {
  const inLines = fc.array(fc.stringMatching(/^[a-zé日]{0,6}$/), { minLength: 1, maxLength: 5 });
  const LINE_END = fc.constantFrom('\r', '\n');

  it.each([false, true])('answers one question a line, however it arrives (plain: %s)', async (plain) => {
    await fc.assert(
      fc.asyncProperty(inLines, LINE_END, fc.nat(40), fc.boolean(), async (lines, end, cut, isEarly) => {
        const test = createTestTerminal({ isTTY: true, flags: { plain } });
        const bytes = Buffer.from(lines.map((line) => `${line}${end}`).join(''));
        const type = () => {
          // A key of several bytes may arrive in two parts.
          test.type(bytes.subarray(0, cut));
          test.type(bytes.subarray(cut));
        };
        if (isEarly) type();
        const answers: string[] = [];
        for (const [index] of lines.entries()) {
          const asked = askText(test.terminal, { message: `Question ${index}`, flag: '--name' });
          if (!isEarly && index === 0) {
            await test.saw('Question 0');
            type();
          }
          answers.push(await asked);
        }
        expect(answers).toEqual(lines);
      }),
      { numRuns: 50 },
    );
  });

  it('goes on to the same question where it refuses a line', async () => {
    const test = person();
    test.type('no\rport\r443\rlast\r');
    const validate = (text: string) => (/443$/.test(text) ? undefined : 'must end with 443');
    const port = await askText(test.terminal, { message: 'Port', flag: '--port', validate });
    // A line that is refused stays, to be mended.
    expect(port).toBe('noport443');
    expect(await askText(test.terminal, { message: 'Name', flag: '--name' })).toBe('last');
  });
});
