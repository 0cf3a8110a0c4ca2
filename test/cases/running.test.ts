/** Runs the cases through the built binary and compares each verdict with the first word of the name. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { bareEnv, sonde } from '../support/binary.ts';
import { chromiumPath } from '../support/chromium.ts';
import { startE2eServiceIn } from '../support/e2e.ts';
import { needsOpenssl } from '../support/fault-proxy/authority.ts';
import { findProgram } from '../support/needs.ts';
import { type Case, caseFiles, verdictOf, writeCases } from './cases.ts';
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

/** What nobody should read in the output of a check. */
const UNREADABLE = /bug in sonde|error:0A|ssl3_|ERR_SSL_|:SSL routines:|alert number/;

interface Row {
  readonly name: string;
  readonly status: string;
  readonly results: readonly { readonly errors: readonly string[] }[];
}

// Each process needs half a core, and some wait for seconds.
describe.each(await caseFiles())('%s', { concurrent: true }, (file) => {
  it('has the verdict of each name', async () => {
    const { stdout, stderr } = await sonde(['try', `${file}.json`, '--json'], { env, cwd: folder });
    const rows = [JSON.parse(stdout) as Row | readonly Row[]].flat();
    const verdicts = new Map(rows.map(({ name, status }) => [name, status]));
    const wrong = cases.get(file)?.filter(({ name }) => verdicts.get(name) !== verdictOf(name));
    expect(
      wrong?.map(({ name }) => name),
      stderr,
    ).toEqual([]);
    const errors = rows.flatMap(({ results }) => results.flatMap((result) => result.errors));
    expect([stderr, ...errors].join('\n')).not.toMatch(UNREADABLE);
  });
});

it('has the same verdicts for a tenth of the checks in a service', async () => {
  const all = [...cases].flatMap(([file, checks]) =>
    checks.map((check) => ({ ...check, name: `${check.name} (${file})` })),
  );
  const some = all.filter((_, index) => index % 10 === 0);
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
    const verdicts = Object.fromEntries(rows.map(({ name, status }) => [name, status]));
    expect(verdicts, stderr).toEqual(Object.fromEntries(some.map(({ name }) => [name, verdictOf(name)])));
  } finally {
    await service.close();
  }
});
