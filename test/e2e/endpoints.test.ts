/**
 * Every endpoint of the specification, end to end: the built command, a real socket, the service, SQLite, and back. The commands run in
 * this process, but for each endpoint's JSON, which the binary prints.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EndpointDefinition } from '../../src/contract/endpoint.ts';
import { table } from '../../src/contract/endpoints/index.ts';
import { type Env, errorOf, plain, type Ran, sonde, widest } from '../support/binary.ts';
import { emptyHome, type SilentPort, silentPort } from '../support/e2e.ts';
import { sondeInProcess } from '../support/in-process.ts';
import { changes } from './matrix/changes.ts';
import { deletions } from './matrix/deletions.ts';
import type { Row } from './matrix/row.ts';
import { runs } from './matrix/runs.ts';
import { type Made, startWorld, type World } from './world.ts';

const rows: readonly Row[] = [...changes, ...runs, ...deletions].toSorted((a, b) => a.number - b.number);
const WRONG_KEY = 'wrong-key-of-the-test-0123456789';

const definitions: readonly EndpointDefinition[] = Object.values(table);
function endpointOf({ number }: Row): EndpointDefinition {
  const found = definitions.find((endpoint) => endpoint.number === number);
  if (!found) throw new Error(`No endpoint has the number ${number}`);
  return found;
}
const lineOf = (row: Row, path: string): string => `${endpointOf(row).method} ${path}`;
const missingPath = (row: Row): string => endpointOf(row).path.replace(/\{\w+\}/, row.missing?.id ?? '');

let world: World;
let silent: SilentPort;
let stranger: Awaited<ReturnType<typeof emptyHome>>;
beforeAll(async () => {
  world = await startWorld();
  [silent, stranger] = await Promise.all([silentPort(), emptyHome()]);
});
afterAll(async () => {
  const code = await world.service.close();
  await Promise.all([world.names.close(), silent.close(), stranger.remove()]);
  expect(code, 'exit code of the stopped service').toBe(0);
});

/** Runs it, and holds that no key is in anything it says. */
async function run(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  stdin?: string,
): Promise<Ran> {
  return hold(await sondeInProcess(args, { env: { ...world.service.env, ...env }, stdin }));
}

function hold(ran: Ran): Ran {
  for (const key of [world.service.key, WRONG_KEY]) expect(ran.stdout + ran.stderr).not.toContain(key);
  return ran;
}

/** Runs the row's command in a terminal of 80 columns. Returns its result as the screen shows it. */
async function inTerminal(row: Row, more: Env): Promise<{ made: Made; screen: string }> {
  const made = await row.arrange(world);
  const args = [...row.command(made, world), ...(row.silent ? ['-o', 'table'] : [])];
  const env = { ...world.service.env, TERM: 'xterm-256color', ...more } as Record<string, string>;
  const { code, stdout, stderr } = hold(await sondeInProcess(args, { env, isTTY: true }));
  expect(code, stderr).toBe(0);
  return { made, screen: stdout };
}

/** What colours and emphasises. */
const STYLE = new RegExp(`${'\u001b'}\\[[0-9;]*m`);

interface ViolationBody {
  readonly statusCode: number;
  readonly message: string;
  readonly attributes: { readonly violations: readonly { readonly path: string }[] };
}

/** What was printed as JSON, and what it was about, so that it can be looked up again. */
const kept: { readonly row: Row; readonly made: Made; readonly printed: unknown }[] = [];

it('has each endpoint of the specification once, with everything that is to be shown of it', () => {
  expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  for (const row of rows) {
    const { path, query, body } = endpointOf(row);
    expect(row.raw.violations.length, `${row.number}: more than one violation`).toBeGreaterThan(
      path.includes('{') || body || Object.keys(query.properties).length > 0 ? 1 : 0,
    );
    expect(row.missing !== undefined, `${row.number}: 404`).toBe(path.includes('{'));
  }
  // Specification, Errors 2 and Limits.
  expect(rows.filter(({ limited }) => limited).map(({ number }) => number)).toEqual([19, 20]);
});

describe.each(rows)('endpoint $number', (row) => {
  const { method, path } = endpointOf(row);
  const { missing } = row;

  it(`${method} ${path} refuses bad input with exit 2, all of it at once, and sends nothing`, async () => {
    const before = silent.connections();
    const env = { SONDE_BASE_URL: silent.url, SONDE_API_KEY: world.service.key };
    const { code, stdout, stderr } = await run(row.bad.args, env);
    expect(code, stderr).toBe(2);
    expect(stdout).toBe('');
    for (const text of row.bad.says) expect(stderr).toContain(text);
    expect(silent.connections()).toBe(before);
  });

  it('is answered 400 with every violation where bad input reaches the service, which is exit 3', async () => {
    const { path: lenient, body, violations } = row.raw;
    // By default the service ignores unknown fields.
    const raw = `${lenient}${lenient.includes('?') ? '&' : '?'}strict=true`;
    const answer = await world.service.api(lineOf(row, raw), body);
    const refusal = answer.body as ViolationBody;
    expect(answer.status, JSON.stringify(refusal)).toBe(400);
    expect(refusal).toMatchObject({ statusCode: 400, error: 'Bad Request', message: expect.any(String) });
    const places = refusal.attributes.violations.map(({ path: place }) => place);
    expect(places).toEqual(expect.arrayContaining([...violations]));

    const input = body === undefined ? [] : ['-f', '-'];
    const ran = await run(['api', method, raw, ...input, '--json'], {}, JSON.stringify(body));
    expect(ran.code, ran.stderr).toBe(3);
    expect(ran.stdout).toBe('');
    const { status, details } = errorOf(ran.stderr) as { status: number; details: { place: string }[] };
    expect(status).toBe(400);
    expect(details.map(({ place }) => place)).toEqual(expect.arrayContaining([...violations]));
  });

  it('says that a wrong key is refused, with exit 4', async () => {
    const made = await row.arrange(world);
    const env = { SONDE_BASE_URL: world.service.url, SONDE_API_KEY: WRONG_KEY };
    const { code, stdout, stderr } = await run([...row.command(made, world), '--json'], env);
    expect(code, stderr).toBe(4);
    if (stdout === '') expect(errorOf(stderr)).toMatchObject({ kind: 'api', status: 401 });
    // A gate that ends badly is a result.
    else expect(JSON.parse(stdout)).toMatchObject({ status: null, error: { kind: 'api' } });
  });

  if (missing)
    it('says that something is not there, with exit 5', async () => {
      const { id, body } = missing;
      const answer = await world.service.api(lineOf(row, missingPath(row)), body);
      expect(answer).toMatchObject({ status: 404, body: { statusCode: 404, error: 'Not Found' } });

      const made = await row.arrange(world);
      const args = row.command({ ...made, id, checkId: id }, world);
      const { code, stdout, stderr } = await run(args);
      expect(code, stderr).toBe(5);
      expect(stderr).toContain('not found');
      expect(stdout).not.toContain(made.name);
    });

  it('shows its result in a terminal, in colour', async () => {
    const { made, screen } = await inTerminal(row, {});
    for (const text of row.shows(made)) expect(plain(screen)).toContain(text);
    expect(screen).toMatch(STYLE);
  });

  it('shows the same without colour, within the width of the terminal', async () => {
    const { made, screen } = await inTerminal(row, { NO_COLOR: '1' });
    for (const text of row.shows(made)) expect(plain(screen)).toContain(text);
    expect(screen).not.toMatch(STYLE);
    expect(widest(plain(screen))).toBeLessThanOrEqual(80);
  });

  it('prints tab-separated values into a pipe', async () => {
    const made = await row.arrange(world);
    const { code, stdout, stderr } = await run([
      ...row.command(made, world),
      ...(row.silent ? ['-o', 'tsv'] : []),
    ]);
    expect(code, stderr).toBe(0);
    for (const text of row.shows(made)) expect(stdout).toContain(text);
    for (const line of stdout.replace(/\n$/, '').split('\n')) expect(line).toContain('\t');
    expect(stdout).not.toContain('\u001b');
  });

  it('prints JSON that the service holds', async () => {
    const made = await row.arrange(world);
    const { env } = world.service;
    const { code, stdout, stderr } = hold(await sonde([...row.command(made, world), '--json'], { env }));
    expect(code, stderr).toBe(0);
    const printed: unknown = JSON.parse(stdout);
    await row.stored(world, made, printed);
    kept.push({ row, made, printed });
  });
});

it('counts who connects where nothing may be sent', async () => {
  const before = silent.connections();
  const env = { SONDE_BASE_URL: silent.url, SONDE_API_KEY: 'any' };
  const { code } = await run(['static-ips', '--retry-budget', '0s'], env);
  expect(code).toBe(6);
  expect(silent.connections()).toBeGreaterThan(before);
});

it('never answers with an error of its own, and keeps what it answered over a kill -9', async () => {
  expect(world.service.log()).not.toContain('"level":50');
  expect(kept.map(({ row }) => row.number)).toEqual(rows.map(({ number }) => number));
  await world.service.kill();
  await world.service.start();
  for (const { row, made, printed } of kept) await row.stored(world, made, printed);
});
