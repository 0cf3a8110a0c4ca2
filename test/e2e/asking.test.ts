/** Dialogues in a real terminal against a real service: what a person is asked, what becomes of it, what is left on the screen. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { type Env, sondeInTerminal } from '../support/binary.ts';
import { needsTmux, openWindow, type Window } from '../support/tmux.ts';
import { fresh, useWorld } from './world.ts';

const world = useWorld();

interface Check {
  readonly id: string;
  readonly name: string;
  readonly [field: string]: unknown;
}

const checksNamed = async (name: string): Promise<readonly Check[]> =>
  (await world.service.make<readonly Check[]>(`GET /v1/checks?limit=100`)).filter(
    (check) => check.name === name,
  );

/** What two checks made of the same words have in common. */
/** What was asked for: not who it is, when it runs, nor what its runs have found meanwhile. */
const asAsked = ({ id, created_at, updated_at, frequencyOffset, nextRunAt, status, ...rest }: Check) => rest;

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'sonde-asking-'));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

const has = (text: string) => (screen: readonly string[]) => screen.some((row) => row.includes(text));

async function open(columns = 80, env: Env = {}): Promise<Window> {
  const given = Object.fromEntries(
    Object.entries(env).flatMap(([key, value]) => (value ? [[key, value]] : [])),
  );
  return openWindow({ env: { ...world.service.env, ...given }, columns, rows: 60 });
}

/** Types what answers a question, once the question is there. */
async function answer(
  window: Window,
  ...replies: readonly (readonly [question: string, ...keys: string[]])[]
) {
  for (const [question, ...keys] of replies) {
    await window.shows(has(question));
    await window.press(...keys);
  }
}

const start = (window: Window, line: string) => window.press(`clear; sonde ${line}; echo "exit $?"`, 'Enter');

/** The line that says the same, from a screen that may have broken it. */
function sameLine(screen: readonly string[], columns: number): string {
  const from = screen.indexOf('To repeat this without prompts, run:') + 1;
  const to = screen.findIndex((row, index) => index >= from && /^(?:exit|Error:|Nothing was )/.test(row));
  // A row that the terminal broke is full but for blanks that capturing takes away.
  return screen
    .slice(from, to)
    .map((row, index, rows) => (index < rows.length - 1 ? row.padEnd(columns) : row))
    .join('')
    .trim();
}

describe('sonde checks create-dns, typed bare', () => {
  beforeEach(needsTmux);

  it.each([50, 140])(
    'asks for what matters, and the line that it shows makes the same check, in a window of %d columns',
    async (columns) => {
      const name = fresh("it's");
      const window = await open(columns);
      await start(window, 'checks create-dns');
      await answer(
        window,
        ['Name of the check:', 'Enter'],
        ['A value is required', name, 'Enter'],
        ['Domain name to query:', `${'x'.repeat(101)}`, 'Enter'],
        ['The value must have at most 100 characters', 'C-u', 'good.test', 'Enter'],
        ['Record type to query:', 'ipv6'],
        ['> AAAA', 'Enter'],
        ['Name server (Enter for the default):', `${world.names.address}:53`, 'Enter'],
        ['Enter the name server without a port', 'C-u', world.names.address, 'Enter'],
        ['Port of the server: (53)', '70000', 'Enter'],
        ['The value must be at most 65535', 'C-u', String(world.names.port), 'Enter'],
        ['Locations:', 'frank'],
        ['> [ ] eu-central-1', 'Enter'],
        ['1 selected: eu-central-1', 'nowhere'],
        ['no match for "nowhere"', 'C-u'],
        ['type to search', 'us-east'],
        ['> [ ] us-east-1', 'Tab'],
        ['3 selected', 'C-u'],
        ['type to search', 'Enter'],
        ['Frequency:', 'few'],
        ['> every few seconds', 'Enter'],
        ['Seconds between runs:', 'Down', 'Enter'],
        ['Assertions on the response:', 'Enter'],
        ['Add another assertion?', 'y', 'Enter'],
        ['Source:', 'json', 'Enter'],
        ['Property:', 'Enter'],
        ['Comparison:', 'contains', 'Enter'],
        ['Target:', '192.0.2.', 'Enter'],
        ['Target: 192.0.2.', ''],
        ['Add another assertion? (y/N)', 'Enter'],
        ['Create this check?', 'Enter'],
      );
      const screen = await window.shows(has('exit 0'));
      expect(screen.join('\n')).toMatch(/^\? Locations: us-east-1, us-east-2, (?:eu-central-1|\S*…)$/m);
      expect(screen.join('\n')).toMatch(/^ {2}frequency +every few seconds$/m);
      expect(screen.join('\n')).not.toMatch(/\[[ x]\]|type to search/);
      expect(await window.isCursorShown()).toBe(true);

      const [made] = await checksNamed(name);
      expect(made).toMatchObject({
        request: {
          query: 'good.test',
          recordType: 'AAAA',
          nameServer: world.names.address,
          port: world.names.port,
        },
        locations: ['us-east-1', 'us-east-2', 'eu-central-1'],
        frequency: 0,
        frequencyOffset: 20,
      });
      expect(screen.join('')).toContain(`sonde checks run ${made?.id}`);
      await window.press(`clear; ${sameLine(screen, columns)} --json > /dev/null; echo "again: $?"`, 'Enter');
      await window.shows(has('again: 0'));
      const twins = await checksNamed(name);
      expect(twins).toHaveLength(2);
      const [one, other] = twins.map(asAsked);
      expect(one).toEqual(other);
    },
  );

  it('offers the private locations of the account', async () => {
    const slugName = fresh('cellar');
    await world.service.make('POST /v1/private-locations', { name: 'The cellar', slugName });
    const name = fresh('private');
    const window = await open();
    await start(window, 'checks create-dns --yes');
    await answer(
      window,
      ['Name of the check:', name, 'Enter'],
      ['Domain name to query:', 'good.test', 'Enter'],
      ['Record type to query:', 'Enter'],
      ['Name server', 'Enter'],
      ['Private locations', slugName],
      [`> [ ] ${slugName}`, 'Enter'],
      ['1 selected', 'Enter'],
      ['Frequency:', 'Enter'],
      ['Assertions on the response:', 'none', 'Enter'],
    );
    await window.shows(has('exit 0'));
    expect(await checksNamed(name)).toMatchObject([{ privateLocations: [slugName], frequency: 10 }]);
  });

  it('leaves nothing behind on Ctrl-C: no check, no half of a list, the cursor shown, and 130', async () => {
    const name = fresh('left');
    const window = await open(50);
    await start(window, 'checks create-dns');
    await answer(
      window,
      ['Name of the check:', name, 'Enter'],
      ['Domain name to query:', 'good.test', 'Enter'],
      ['Record type to query:', 'C-c'],
    );
    const screen = await window.shows(has('exit 130'));
    expect(screen.slice(0, 2)).toEqual([`? Name of the check: ${name}`, '? Domain name to query: good.test']);
    expect(screen.join('\n')).not.toContain('IPv4');
    expect(await window.isCursorShown()).toBe(true);
    expect(await checksNamed(name)).toEqual([]);
    await window.press('echo typed', 'Enter');
    await window.shows((rows) => rows.at(-2) === 'typed');
  });

  it('ends with 130 where the input ends', async () => {
    const window = await open();
    await start(window, 'checks create-dns');
    await answer(window, ['Name of the check:', 'C-d']);
    await window.shows(has('exit 130'));
  });
});

describe('where something was given', () => {
  beforeEach(needsTmux);

  it('asks for what is missing alone, shows it all, and takes no for an answer', async () => {
    const name = fresh('no');
    const window = await open();
    await start(window, 'checks create-dns --query good.test --frequency 5 --env TOKEN=hush-hush');
    await answer(window, ['Name of the check:', name, 'Enter'], ['Create this check? (Y/n)', 'n', 'Enter']);
    const screen = await window.shows(has('exit 9'));
    expect(screen.join('\n')).toMatch(
      / {2}query +good\.test\n {2}frequency +every 5 minutes\n {2}environment variables +TOKEN\n/,
    );
    expect(sameLine(screen, 80)).toBe(
      `sonde checks create-dns --name ${name} --frequency 5 --env TOKEN --query good.test`,
    );
    expect(screen.join('')).not.toContain('hush-hush');
    expect(await checksNamed(name)).toEqual([]);
  });

  it('asks before it previews, and sends nothing', async () => {
    const name = fresh('dry');
    const { code, screen } = await sondeInTerminal(
      ['checks', 'create-dns', '--query', 'good.test', '--dry-run'],
      {
        env: world.service.env,
        keys: [['Name of the check:', `${name}\r`]],
      },
    );
    expect(code).toBe(0);
    expect(screen).toContain('POST http');
    expect(screen).not.toContain('Create this check?');
    expect(await checksNamed(name)).toEqual([]);
  });
});

describe('sonde checks create-browser, typed bare', () => {
  beforeEach(needsTmux);

  it('takes a script from an editor, which starts with one that Node can read, and keeps it', async () => {
    const cwd = await folder();
    // First it breaks the script, then it mends it.
    const editor = join(cwd, 'editor.sh');
    await writeFile(
      editor,
      '#!/bin/sh\ncp "$1" template.js\nif [ -e once ]; then sed -i "/const x = ;/d" "$1"; else touch once; echo "const x = ;" >> "$1"; fi\n',
    );
    await chmod(editor, 0o755);
    const name = fresh('Shop');
    const window = await open(80, { VISUAL: './editor.sh' });
    await window.press(`cd ${cwd}`, 'Enter');
    await start(window, 'checks create-browser');
    await answer(
      window,
      ['Name of the check:', name, 'Enter'],
      ['Script:', 'editor', 'Enter'],
      [`Save the script as: (${name.toLowerCase()}.spec.js)`, 'editor.sh', 'Enter'],
      ['The file exists', 'C-u', 'shop.js', 'Enter'],
      ['Unexpected token', ''],
      ['Edit the script again?', 'Enter'],
      ['sonde saved the script in shop.js', ''],
      ['Locations:', 'Enter'],
      ['Frequency:', 'hour'],
      ['> every hour', 'Enter'],
      ['Create this check?', 'Enter'],
    );
    const screen = await window.shows(has('exit 0'));
    expect(sameLine(screen, 80)).toBe(
      `sonde checks create-browser --name ${name} --script-file shop.js --frequency 60`,
    );
    const script = await readFile(join(cwd, 'shop.js'), 'utf8');
    expect(script).toContain("require('@playwright/test')");
    expect(await checksNamed(name)).toHaveLength(1);
    const [made] = await checksNamed(name);
    expect(await world.service.make(`GET /v1/checks/${made?.id}`)).toMatchObject({ script, frequency: 60 });
  });

  it('checks a file at once', async () => {
    const cwd = await folder();
    await writeFile(join(cwd, 'bad.js'), 'test(\n');
    await writeFile(join(cwd, 'good.js'), 'console.log(1);\n');
    const name = fresh('file');
    const window = await open();
    await window.press(`cd ${cwd}`, 'Enter');
    await start(window, `checks create-browser --name ${name}`);
    await answer(
      window,
      ['Script:', 'Enter'],
      ['Script file:', 'nowhere.js', 'Enter'],
      ['no such file', 'C-u', 'bad.js', 'Enter'],
      ['The script is incomplete', 'C-u', 'good.js', 'Enter'],
      ['Create this check?', 'Enter'],
    );
    await window.shows(has('exit 0'));
    expect(await checksNamed(name)).toHaveLength(1);
  });
});
