/** What a user's machine holds never ends in "bug in sonde": any value of any variable, any content of any file that sonde reads. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { command as startAgent } from '../../../commands/agent/start.ts';
import { command as listChecks } from '../../../commands/checks/list.ts';
import {
  parseCanaries,
  parseTrustedProxies,
} from '../../../commands/service/shared/read-service-settings.ts';
import { UsageError } from '../../../src/base/errors.ts';
import { EXIT } from '../../../src/base/exits.ts';
import { VARIABLES } from '../../../src/cli/help/lazy/topic-environment.ts';
import { readDeliverySettings } from '../../../src/service/notify/outbox/deliver/create-deliver.ts';
import { readTracingSettings } from '../../../src/worker/tracing/settings.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { answer, serveWith } from '../../support/http.ts';
import { runs } from '../../support/sampled.ts';

const NAMES = Object.values(VARIABLES)
  .flat()
  .flatMap(([names]) => names.split(', '));

const URLS = [
  'http://',
  'http://[',
  'http://u:%@127.0.0.1:9',
  'x://',
  'http://h:99999',
  'http://127.0.0.1:9/a',
  'socks4://127.0.0.1:9',
  '//h',
];
const ODD = [
  '',
  ' ',
  '%',
  '-1',
  '1e9',
  'NaN',
  '__proto__',
  '/nonexistent',
  '/dev/null',
  '/',
  '..',
  '\ud800',
  '"',
  '{',
];
const value = fc.oneof(
  fc.constantFrom(...URLS, ...ODD, 'é'.repeat(5000)),
  fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
);

/** The service answers with an empty list, whatever the request is. */
const listing = () => serveWith((_, response) => answer(response, { body: [] }));

describe.each(NAMES)('%s', (name) => {
  it('may hold anything', async () => {
    const { url } = await listing();
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        const env = { ...serviceAt(url), [name]: text };
        const listed = await runLine(listChecks, ['--json'], { env });
        expect(listed.code, listed.stderr).not.toBe(EXIT.bug);
        // Without a service to work for, an agent only reads its settings.
        const started = await runLine(startAgent, [], { env: { [name]: text, SONDE_BASE_URL: '' } });
        expect(started.code, started.stderr).toBe(EXIT.usage);
        for (const read of [readDeliverySettings, readTracing, readLists])
          expect(problemOf(() => read({ [name]: text }))).toBeUndefined();
      }),
      { numRuns: runs(3, 15) },
    );
  });
});

type Env = Readonly<Record<string, string>>;
const readTracing = (env: Env) => readTracingSettings(env, 'sonde');
const readLists = (env: Env) => [parseTrustedProxies([], env), parseCanaries([], env)];

/** Returns the error that is not about the user's input. */
function problemOf(read: () => unknown): unknown {
  try {
    read();
    return undefined;
  } catch (error) {
    return error instanceof UsageError ? undefined : error;
  }
}

const content = fc.oneof(
  value.map((text) => Buffer.from(text)),
  fc.uint8Array({ maxLength: 200 }),
  fc.json().map((text) => Buffer.from(text)),
  fc
    .record(
      Object.fromEntries(
        ['sonde', 'profile', 'profiles', 'current', 'account', 'local'].map((key) => [key, fc.jsonValue()]),
      ),
      { requiredKeys: [] },
    )
    .map((fields) => Buffer.from(JSON.stringify(fields))),
);

describe.each([
  '.sonderc',
  '.sonderc.yaml',
  '.sonderc.json',
  'package.json',
  '.config/sonde/config.yaml',
  '.cache/sonde/completion.json',
  '.git/HEAD',
])('the file %s', (name) => {
  it('may hold anything', async () => {
    const { url } = await listing();
    const cwd = await mkdtemp(join(tmpdir(), 'sonde-files-'));
    await mkdir(dirname(join(cwd, name)), { recursive: true });
    await fc.assert(
      fc.asyncProperty(content, async (bytes) => {
        await writeFile(join(cwd, name), bytes, { mode: 0o600 });
        const { code, stderr } = await runLine(listChecks, ['--json'], { env: serviceAt(url), cwd });
        expect(code, stderr).not.toBe(EXIT.bug);
      }),
      { numRuns: runs(20, 100) },
    );
    await rm(cwd, { recursive: true });
  });
});
