/** Runs the cases through the built binary and compares each verdict with the first word of the name. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { bareEnv, sonde } from '../support/binary.ts';
import { chromiumPath } from '../support/chromium.ts';
import { startE2eServiceIn } from '../support/e2e.ts';
import { needsOpenssl } from '../support/fault-proxy/authority.ts';
import { findProgram } from '../support/needs.ts';
import { sampleOf } from '../support/sampled.ts';
import { type Case, verdictOf, writeCases } from './cases.ts';
import { type Servers, startServers } from './servers/start-servers.ts';

let servers: Servers;
let folder: string;
let cases: ReadonlyMap<string, readonly Case[]>;
let env: Readonly<Record<string, string>>;
beforeEach(needsOpenssl);
beforeAll(async () => {
  if (findProgram('openssl') === undefined) return;
  servers = await startServers();
  folder = await mkdtemp(join(tmpdir(), 'sonde-cases-'));
  cases = await writeCases(folder, servers.ports);
  env = bareEnv(folder, { NODE_EXTRA_CA_CERTS: servers.trusted, SONDE_BROWSER: await chromiumPath() });
});
afterAll(async () => {
  await servers?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

/** Texts that no output of a check should contain. */
const UNREADABLE = /bug in sonde|error:0A|ssl3_|ERR_SSL_|:SSL routines:|alert number/;

interface Row {
  readonly name: string;
  readonly status: string;
  readonly results: readonly { readonly errors: readonly string[] }[];
}

function expectVerdicts(checks: readonly Case[], rows: readonly Row[], texts: string): void {
  const verdicts = new Map(rows.map(({ name, status }) => [name, status]));
  const wrong = checks.filter(({ name }) => verdicts.get(name) !== verdictOf(name));
  expect(
    wrong.map(({ name }) => name),
    texts,
  ).toEqual([]);
}

/** A script runs in a process with a browser, which costs a hundred times as much as another check. */
const isScript = ({ checkType }: Case): boolean => /^(?:BROWSER|MULTI_STEP|PLAYWRIGHT)$/.test(checkType);
/** About half of them: at least two of each file. */
const SCRIPTS = 20;

/** Runs the checks in one process, because the start of a process costs more than most checks. */
async function expectTriedVerdicts(checks: readonly Case[]): Promise<void> {
  await writeFile(join(folder, 'tried.json'), JSON.stringify({ checks }));
  const { stdout, stderr } = await sonde(['try', 'tried.json', '--json'], { env, cwd: folder });
  const rows = JSON.parse(stdout) as readonly Row[];
  const texts = [stderr, ...rows.flatMap(({ results }) => results.flatMap(({ errors }) => errors))].join(
    '\n',
  );
  expectVerdicts(checks, rows, texts);
  expect(texts).not.toMatch(UNREADABLE);
}

it('has the verdict of each name without a script', () =>
  expectTriedVerdicts([...cases.values()].flat().filter((check) => !isScript(check))));

it('has the verdict of each name with a script', () =>
  expectTriedVerdicts(sampleOf([...cases.values()].flat().filter(isScript), SCRIPTS)));

it('has the same verdicts for a tenth of the checks in a service', async () => {
  const some = [...cases.values()].flat().filter((_, index) => index % 10 === 0);
  await writeFile(join(folder, 'tenth.json'), JSON.stringify({ checks: some }));
  const service = await startE2eServiceIn({
    NODE_EXTRA_CA_CERTS: servers.trusted,
    SONDE_BROWSER: env.SONDE_BROWSER,
  });
  try {
    const applied = await sonde(['apply', 'tenth.json', '--yes'], { env: service.env, cwd: folder });
    expect(applied.code, applied.stderr).toBe(0);
    const { stdout, stderr } = await sonde(['checks', 'run', '--all', '--json'], { env: service.env });
    const rows = JSON.parse(stdout) as readonly Row[];
    expectVerdicts(some, rows, stderr);
  } finally {
    await service.close();
  }
});
