/** Finding one's way: the overview, nouns, topics, and what is said of words that name nothing. */
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { build } from '../../../scripts/build.mjs';
import { EXIT } from '../../../src/base/exits.ts';
import { GROUPS, NOUNS, nounNames } from '../../../src/cli/help/nouns.ts';
import { TOPICS, topicNames } from '../../../src/cli/help/topics.ts';
import { runRootCommand } from '../../../src/cli/program/root-command.ts';
import { LOCATIONS } from '../../../src/contract/enumerations.ts';
import { type LineOptions, makeHost } from '../../support/command.ts';

beforeAll(async () => void (await build()));

async function sonde(line: string, options: LineOptions = {}) {
  const { host, screen } = await makeHost(line === '' ? [] : line.split(' '), options);
  const code = await runRootCommand(host);
  return { code, stdout: screen.stdout(), stderr: screen.stderr() };
}

describe('the overview', () => {
  it.each(['', '--help', '-h', 'help', '--nonsense --help', 'help help'])(
    'is what "sonde %s" prints',
    async (line) => {
      const { code, stdout, stderr } = await sonde(line);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toContain('sonde quickstart');
      for (const name of nounNames()) expect(stdout).toMatch(new RegExp(`^  ${name} `, 'm'));
      for (const name of topicNames) expect(stdout).toMatch(new RegExp(`^  .*\\b${name}\\b`, 'm'));
    },
  );

  it('fits a window of 60 lines at 80 columns', async () => {
    const { stdout } = await sonde('--help', { isTTY: true, columns: 80, env: { NO_COLOR: '1' } });
    const lines = stdout.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
    // Each command has one line.
    expect(lines.filter((line) => /^ {4,}\S/.test(line))).toEqual([]);
  });

  it('has a group and a summary for every noun, and none for what is not there', () => {
    const grouped = Object.values(GROUPS).flat();
    const single = ['api', 'completion', 'help'];
    expect(nounNames().filter((noun) => !grouped.includes(noun) && !single.includes(noun))).toEqual([]);
    expect(grouped.filter((noun) => !nounNames().includes(noun))).toEqual([]);
    expect(Object.keys(NOUNS).filter((noun) => !nounNames().includes(noun))).toEqual([]);
  });

  it('leads to what every command takes, which says from which variable it can come', async () => {
    expect((await sonde('--help')).stdout).toContain('sonde help options');
    const { stdout } = await sonde('help options');
    expect(stdout).toMatch(/--profile <name>[\s\S]*SONDE_PROFILE/);
    expect(stdout).toMatch(/--no-color[\s\S]*NO_COLOR/);
  });
});

describe('a noun', () => {
  it.each(['checks', 'checks --help', 'checks -h', 'help checks'])('is told by "sonde %s"', async (line) => {
    const { code, stdout, stderr } = await sonde(line);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ {2}create-dns +Create a DNS check$/m);
    expect(stdout).toContain('Examples:\n');
  });
});

describe('a topic', () => {
  it.each(topicNames)('%s fits every width, and needs neither a service nor a profile', async (topic) => {
    for (const columns of [60, 80, 140]) {
      const { code, stdout, stderr } = await sonde(`help ${topic}`, {
        isTTY: true,
        columns,
        env: { NO_COLOR: '1' },
      });
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.startsWith(TOPICS[topic].split(' ')[0] ?? '')).toBe(true);
      // Lines to be copied are never broken, and a path may be long.
      const prose = stdout.split('\n').filter((line) => !/^ {2}(sonde|printf|--assert)|\/sonde/.test(line));
      expect(Math.max(...prose.map((line) => line.length))).toBeLessThanOrEqual(columns);
    }
  });

  it('is shown for its bare name only where help is asked for', async () => {
    expect((await sonde('exit-codes --help')).code).toBe(0);
    expect(await sonde('exit-codes')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean sonde help exit-codes?'),
    });
  });

  it('exit-codes tells of every code there is', async () => {
    const { stdout } = await sonde('help exit-codes');
    for (const code of Object.values(EXIT)) expect(stdout).toMatch(new RegExp(`^  ${code} +\\S`, 'm'));
  });

  it('files shows the paths of this user', async () => {
    const { stdout } = await sonde('help files', { home: '/home/me', env: { XDG_STATE_HOME: '/elsewhere' } });
    expect(stdout).toContain('/home/me/.config/sonde/config.yaml');
    expect(stdout).toContain('/elsewhere/sonde/previous');
    expect(stdout).toContain('/home/me/.cache/sonde/completion.json');
  });

  it('locations lists them all', async () => {
    const { stdout } = await sonde('help locations');
    for (const location of LOCATIONS) expect(stdout).toContain(location);
  });

  it('environment names every variable that the code reads, and no other of ours', async () => {
    const { stdout } = await sonde('help environment');
    const read = new Set<string>();
    const own = /\benv\.([A-Z][A-Z_]+)|'((?:SONDE|XDG)_[A-Z_]+)'/g;
    for (const folder of ['bin', 'commands', 'src']) {
      for (const name of await readdir(folder, { recursive: true })) {
        if (!name.endsWith('.ts') || /generated|help/.test(name)) continue;
        for (const [, dotted, quoted] of readFileSync(join(folder, name), 'utf8').matchAll(own))
          read.add(dotted ?? quoted ?? '');
      }
    }
    // The beginning of the names of a check's own variables, what all programs read, the mark of a cell's own processes, and what
    // the script of the quickstart's check reads.
    const untold = ['SONDE_SECRET_', 'PATH', 'HOME', 'DISPLAY', 'WAYLAND_DISPLAY', 'SONDE_CELL', 'SHOP'];
    const told: readonly string[] = stdout.match(/\b[A-Z][A-Z_]+\b/g) ?? [];
    expect([...read].filter((name) => !untold.includes(name) && !told.includes(name))).toEqual([]);
    expect(told.filter((name) => name.startsWith('SONDE_') && !read.has(name))).toEqual([]);
  });
});

describe('words that name nothing', () => {
  it.each([
    ['chekcs', 'sonde checks'],
    ['check run', 'sonde checks run'],
    ['checks craete-dns --name x', 'sonde checks create-dns'],
    ['list sessions', 'sonde sessions list'],
    ['run checks --tag x', 'sonde checks run'],
    ['session ls', 'sonde sessions list'],
    ['rm variable X', 'sonde delete variable'],
    ['create dns', 'sonde checks create-dns'],
    ['status-page get 4', 'sonde status-pages get'],
    ['help exit-code', 'sonde help exit-codes'],
    ['help profile', 'sonde profiles'],
    ['enviroment', 'sonde help environment'],
  ])('"sonde %s" is asked whether %s was meant', async (line, meant) => {
    const { code, stdout, stderr } = await sonde(line);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr.split('\n')[0]).toContain(`(did you mean ${meant}?)`);
  });

  it('lead to the help of all that may be meant where those are many', async () => {
    const { code, stderr } = await sonde('create check');
    expect(code).toBe(2);
    expect(stderr.split('\n')[1]).toBe('to list the commands of checks, run: sonde checks --help');
  });

  it.each([
    ['nonsense', 'unknown command: "nonsense"', 'to list all commands, run: sonde --help'],
    ['nonsense --help', 'unknown command: "nonsense"', 'to list all commands, run: sonde --help'],
    [
      'help nonsense',
      'unknown command or topic: "nonsense"',
      'to list all commands and topics, run: sonde --help',
    ],
    [
      'checks nonsense',
      'unknown command: "checks nonsense"',
      'to list the commands of checks, run: sonde checks --help',
    ],
  ])('"sonde %s" is refused with 2 and one line that leads to help', async (line, message, hint) => {
    expect(await sonde(line)).toEqual({ code: 2, stdout: '', stderr: `Error: ${message}\n${hint}\n` });
  });

  it('are told to programs as JSON', async () => {
    const { error } = JSON.parse((await sonde('chekcs --json')).stderr);
    expect(error).toMatchObject({
      kind: 'usage',
      details: [{ place: 'chekcs', nearest: 'sonde checks', allowed: expect.arrayContaining(['checks']) }],
    });
  });

  it('never echo what could command a terminal', async () => {
    const { stderr } = await sonde('\u001b[2Jx');
    expect(stderr).not.toContain('\u001b');
  });
});
