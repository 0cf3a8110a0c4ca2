/** What the README says is true: its commands run, in their order, as they stand there. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LoopbackNameServer, startLoopbackNameServer } from '../src/runners/dns/loopback-server.ts';
import { openShell, type Shell } from './support/shell.ts';

const readme = readFileSync('README.md', 'utf8');
const blocks = [...readme.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text]) => String(text));
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('README', () => {
  let nameServer: LoopbackNameServer;
  let shell: Shell;
  beforeAll(async () => {
    nameServer = await startLoopbackNameServer({
      records: { 'example.com': [{ type: 'A', data: '192.0.2.1' }] },
    });
    shell = openShell({ SONDE_RESOLVERS: `${nameServer.address}:${nameServer.port}` });
  });
  afterAll(async () => {
    await shell.close();
    await nameServer.close();
  });

  test('two commands do all the set-up', () => {
    const lines = blocks[0]
      ?.trim()
      .split('\n')
      .map((line) => line.replace(/ +#.*/, ''));
    expect(lines).toEqual(['npm start', 'npm cit']);
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test', 'bench:startup']));
  });

  test.each(blocks.slice(1).map((block) => [block.split('\n')[0], block]))(
    'the tour runs: %s',
    async (_, block) => {
      const { code, stderr } = await shell.run(block);
      expect(code, stderr).toBe(0);
    },
  );

  test('every link leads to a file', () => {
    const links = [...readme.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, path]) => String(path));
    expect(links.length).toBeGreaterThan(2);
    for (const path of links) expect(readFileSync(path, 'utf8').length).toBeGreaterThan(0);
  });
});
