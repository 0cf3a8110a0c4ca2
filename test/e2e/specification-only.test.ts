/**
 * Deployments that offer the endpoints of the specification and nothing else: a gate before the service lets only those through,
 * and answers as routers of different make do to everything else.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandFiles, loadCommands } from '../../scripts/manifest.mjs';
import type { EndpointDefinition } from '../../src/contract/endpoint.ts';
import { table } from '../../src/contract/endpoints/index.ts';
import { formatRows } from '../clients/compatibility.ts';
import { errorOf, type Ran } from '../support/binary.ts';
import type { ScriptedAnswer, SeenRequest } from '../support/http.ts';
import { sondeInProcess } from '../support/in-process.ts';
import { changes } from './matrix/changes.ts';
import { deletions } from './matrix/deletions.ts';
import { runs } from './matrix/runs.ts';
import { envAt, startGate } from './published/gate.ts';
import { NOBODY, startWorld, type World } from './world.ts';

const { commands } = await loadCommands(await commandFiles());
const definitions: readonly EndpointDefinition[] = Object.values(table);
const specified = definitions
  .filter(({ number }) => number !== undefined)
  .map(({ method, path }) => ({ method, matches: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }));
/** Lists whose last word the route of a status page takes for an ID. */
const shadowed = definitions.filter(({ number, path }) => number === undefined && !path.includes('{'));

/** How routers say that they have no such route. */
const ROUTERS: readonly ((request: SeenRequest) => ScriptedAnswer)[] = [
  ({ method, url }) => ({
    status: 404,
    body: { statusCode: 404, error: 'Not Found', message: `Route ${method}:${url} not found` },
  }),
  () => ({
    status: 404,
    headers: { 'content-type': 'text/html' },
    body: '<html><head><title>404 Not Found</title></head><body><center>nginx</center></body></html>',
  }),
  () => ({
    status: 405,
    body: { statusCode: 405, error: 'Method Not Allowed', message: 'Method Not Allowed' },
  }),
  () => ({ status: 501, body: '' }),
];
/** A router that does not tell whether the route or the resource is missing. */
const BARE = (): ScriptedAnswer => ({
  status: 404,
  body: { statusCode: 404, error: 'Not Found', message: 'Not Found' },
});

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(async () => {
  await world.service.close();
  await world.names.close();
});

/** Runs a line at a deployment that says `refuse` to everything beyond the specification. */
async function runAt(
  refuse: (request: SeenRequest) => ScriptedAnswer,
  args: readonly string[],
): Promise<Ran> {
  const gate = await startGate(world, (request) => {
    const path = request.url.split('?')[0] ?? '';
    const isShadowed = shadowed.some((each) => each.method === request.method && each.path === path);
    const isRouted = specified.some(({ method, matches }) => method === request.method && matches.test(path));
    return isRouted && !isShadowed ? undefined : refuse(request);
  });
  const env = { ...envAt(world, gate), SHOP_TOKEN: 'hunter2', USER: 'ada' };
  return sondeInProcess(args, { env, stdin: 'hunter2' });
}

describe.each([...changes, ...runs, ...deletions].map((row, index) => ({ ...row, index })))(
  'endpoint $number',
  (row) => {
    it('needs no other', async () => {
      const made = await row.arrange(world);
      const refuse = ROUTERS[row.index % ROUTERS.length] ?? BARE;
      const { code, stdout, stderr } = await runAt(refuse, [...row.command(made, world), '--json', '--yes']);
      expect(code, stderr).toBe(0);
      await row.stored(world, made, JSON.parse(stdout));
    });
  },
);

/** The words of an example. */
const words = (line: string): string[] =>
  [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, (_, single, double) => single ?? double),
  );
/** What an example needs besides the service: a shell, a file, a terminal. */
const NEEDS_MORE =
  /[|<>$&;`\\]|(?:^| )(?:-f|--\S*file|--project|--example|--script-file|--keyring) |\.(?:ts|pem)\b|^api /;

/** Names cannot be looked up there. */
const BY_ID: Readonly<Record<string, string>> = {
  'checks get': `checks get ${NOBODY}`,
  'checks run': `checks run ${NOBODY}`,
  'groups run': 'groups run 12',
};
/** One reads an endpoint of the specification first, the other falls back to one. */
const SPECIFIED = ['maintenance update', 'groups update'];

const beyond = commands.flatMap(({ name, endpoint, examples }) => {
  const line = BY_ID[name] ?? examples.map((each) => each.line).find((text) => !NEEDS_MORE.test(text));
  const isBeyond = endpoint !== undefined && endpoint.number === undefined && !SPECIFIED.includes(name);
  return isBeyond && line !== undefined ? [{ name, line }] : [];
});

describe.each(beyond.map((command, index) => ({ ...command, index })))('$name', ({ line, index }) => {
  const args = [...words(line), '--yes', '--json'];

  it('names the endpoint that is missing, with exit 3', async () => {
    const { code, stdout, stderr } = await runAt(ROUTERS[index % ROUTERS.length] ?? BARE, args);
    expect(code, stdout + stderr).toBe(3);
    expect((errorOf(stderr) as { message: string }).message).toMatch(
      /^this deployment does not offer [A-Z]+ \/v\d\//,
    );
  });

  it('says both where the answer does not tell the endpoint from the resource', async () => {
    const { code, stdout, stderr } = await runAt(BARE, args);
    expect([3, 5], stdout + stderr).toContain(code);
    expect(stderr).toMatch(/this deployment does not offer [A-Z]+ \/v\d\//);
  });
});

it('drives the commands of every noun', () => {
  expect(new Set(beyond.map(({ name }) => name.split(' ')[0])).size).toBeGreaterThan(12);
});

it('is a row of docs/compatibility.md', async () => {
  const rows = [
    {
      area: 'Commands of the 20 endpoints of the specification',
      works: true,
      since: 'next',
      note: 'without differences before an update where the deployment cannot return the resource',
    },
    {
      area: `The other ${beyond.length} commands with an endpoint`,
      works: false,
      since: '',
      note: '`this deployment does not offer …`, exit 3',
    },
  ];
  const client = 'Deployments with only the documented endpoints';
  const file = formatRows({ client, version: '', direction: 'deployment', rows });
  await expect(file).toMatchFileSnapshot('../clients/rows/specification-only.json');
});
