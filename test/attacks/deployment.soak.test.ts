/** A hostile deployment against the built agent: whatever identifiers it answers with, no file outside of the agent's folder moves. */
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startAgent } from '../support/agents.ts';
import { eventually } from '../support/eventually.ts';
import { temporaryFolder } from '../support/folder.ts';
import { answer, type SeenRequest, serveWith, type TestServer } from '../support/http.ts';

const SPOOL = '.local/share/sonde/agent';
/** Where each identifier below would lead, seen from the spool. */
const VICTIMS = ['.local/share/sonde/victim', '.local/share/victim', 'victim', `${SPOOL}/victim/below`];
const IDENTIFIERS = (home: string) => [
  ...['../victim', '../../victim', '../../../../victim', 'victim/below', 'x/../../victim', '..\\victim'],
  ...[
    '.',
    '..',
    '/',
    '',
    '%2e%2e/victim',
    '../victim\0.json',
    join(home, 'victim'),
    'x'.repeat(5000),
    '\ud800',
  ],
];
/** What an agent would take for its own: results, files of runs, what was being written, and its lock. */
const NAMES = ['a.json', 'b.file', 'c.new', 'refused/d.json', 'e.json.lock', '.git/config'];

/** A home in which other folders look like spools. */
async function plantedHome(): Promise<string> {
  const home = await temporaryFolder();
  for (const victim of VICTIMS)
    for (const name of NAMES) {
      mkdirSync(join(home, victim, name, '..'), { recursive: true });
      writeFileSync(join(home, victim, name), `{"precious":"${name}"}`);
    }
  mkdirSync(join(home, SPOOL), { recursive: true });
  symlinkSync(join(home, 'victim'), join(home, SPOOL, 'linked'));
  return home;
}

/** Every file and folder of a home but what the agent keeps for itself, with its contents. */
function snapshot(home: string): Readonly<Record<string, string>> {
  const paths = readdirSync(home, { recursive: true, withFileTypes: true }).map((entry) =>
    join(entry.parentPath, entry.name),
  );
  const ofOthers = paths.filter((path) => {
    const name = relative(home, path);
    return !name.startsWith(SPOOL) || name.startsWith(`${SPOOL}/victim/below`) || name === `${SPOOL}/linked`;
  });
  return Object.fromEntries(
    ofOthers
      .sort()
      .map((path) => [relative(home, path), statSync(path).isFile() ? readFileSync(path, 'utf8') : 'folder']),
  );
}

const RUN = {
  ...{ id: 1, checkType: 'TCP', location: '../../victim', timeoutMs: 5000, secrets: [], isCancelled: false },
  check: {
    ...{ id: '../../victim', name: '../../victim', checkType: 'TCP', codeBundleId: '../../victim' },
    request: { hostname: '127.0.0.1', port: 1, assertions: [] },
  },
};

/** A deployment that gives one run, then asks for files that its result does not have: every identifier that it says is the one given. */
function serveHostile(id: string): Promise<TestServer> {
  const location = { id, name: id, slugName: id };
  const count = { claims: 0, reports: 0 };
  const say = ({ url }: SeenRequest): object => {
    if (url.endsWith('/announce')) return { location, leaseSeconds: 30, artifactBytes: 1000 };
    if (url.endsWith('/claim')) return { runs: count.claims++ === 0 ? [RUN] : [], location };
    if (url.endsWith('/renew')) return { held: [1], cancelled: [] };
    if (url.endsWith('/report'))
      return { outcome: count.reports++ === 0 ? 'ARTIFACTS_MISSING' : 'RECORDED', missing: [id] };
    return {};
  };
  return serveWith((request, response) => answer(response, { body: say(request) }));
}

it('moves no file of others, whatever identifiers the deployment answers with', async () => {
  const home = await plantedHome();
  const before = snapshot(home);
  expect(Object.keys(before).length).toBeGreaterThan(VICTIMS.length * NAMES.length);
  for (const id of IDENTIFIERS(home)) {
    const server = await serveHostile(id);
    const agent = await startAgent({ key: `pl_${'a'.repeat(40)}`, url: server.url, home });
    onTestFinished(() => void agent.child.kill('SIGKILL'));
    const reports = () => server.requests.filter(({ url }) => url.endsWith('/report'));
    await eventually(() => expect(reports().length, JSON.stringify(id)).toBeGreaterThan(1));
    agent.child.kill('SIGTERM');
    await agent.ended;
    expect(agent.stderr()).not.toContain('bug in sonde');
    expect(snapshot(home), JSON.stringify(id)).toEqual(before);
  }
});
