/** Browser checks through the whole service: created, started and read over the API, with what they leave behind. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSite, type Site } from '../runners/browser/support.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';

interface Session {
  readonly status: string;
  readonly results: readonly {
    readonly checkResultId: string;
    readonly checkResultLink: string;
    readonly hasErrors: boolean;
  }[];
}
interface Result {
  readonly hasFailures: boolean;
  readonly errors: readonly string[];
  readonly browserCheckResult: {
    readonly console: readonly { readonly text: string }[];
    readonly detectedSecrets?: unknown;
    readonly runtime: string;
    readonly isolation: { readonly level: string };
    readonly artifacts: readonly {
      readonly id: string;
      readonly kind: string;
      readonly contentType: string;
    }[];
  };
}

let site: Site;
let service: E2eService;
beforeAll(async () => {
  site = await openSite();
  service = await startE2eService('--browsers', '1');
});
afterAll(async () => {
  await service.close();
  await site.close();
});

async function ran(checkId: string): Promise<{ session: Session; result: Result }> {
  const { sessions } = await service.make<{ sessions: { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [checkId] } },
  );
  const id = sessions[0]?.checkSessionId;
  let answer = await service.api(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  while (answer.status === 408) {
    answer = await service.api(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  }
  const { entries } = await service.make<{ entries: Result[] }>(`GET /v2/check-results/${checkId}?limit=1`);
  return { session: answer.body as Session, result: entries[0] as Result };
}

it('runs with the variables of account, group and check, and hands out what a failure left to its account alone', async () => {
  await service.make('POST /v1/variables', { key: 'WHO', value: 'account' });
  await service.make('POST /v1/variables', { key: 'TOKEN', value: 'locked-value', locked: true });
  const group = await service.make<{ id: number }>('POST /v1/check-groups', {
    name: 'shop',
    browserCheckDefaults: site.url,
    environmentVariables: [
      { key: 'WHO', value: 'group' },
      { key: 'PLACE', value: 'group' },
    ],
  });
  const script = `
    const { chromium } = require('playwright');
    const browser = await chromium.launch();
    const page = await browser.newPage();
    await page.goto('/');
    const { WHO, PLACE, TOKEN } = process.env;
    console.log([WHO, PLACE, TOKEN, process.env.SONDE_API_KEY, process.env.ENVIRONMENT_URL].join(' '));
    throw new Error('seen ' + (await page.title()) + ' with ' + TOKEN);
  `;
  const check = await service.make<{ id: string }>('POST /v1/checks/browser', {
    ...{ name: 'Shop', script, groupId: group.id, retryStrategy: null, doubleCheck: false },
    environmentVariables: [{ key: 'WHO', value: 'check' }],
  });
  const { session, result } = await ran(check.id);
  expect(session.status).toBe('FAILED');
  expect(result.errors[0]).toMatch(/^Error: seen Shop with \*\*\*/);
  const { console, runtime, artifacts, isolation } = result.browserCheckResult;
  expect(runtime).toBe('2026.04');
  expect(['uid', 'namespace', 'process']).toContain(isolation.level);
  expect(console.map(({ text }) => text)).toContain(`check group ***  ${site.url}`);
  expect(artifacts.map(({ kind }) => kind)).toEqual(['screenshot', 'trace']);

  // By now, or soon, the next browser waits.
  const health = async () => (await service.api('GET /health')).body;
  await eventually(async () => expect(await health()).toMatchObject({ browserChecks: { ready: 1 } }));

  const [picture] = artifacts;
  const url = `${service.url}/v1/artifacts/${picture?.id}`;
  const headers = { authorization: `Bearer ${service.key}` };
  const answer = await fetch(url, { headers });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe('image/jpeg');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(Buffer.from(await answer.arrayBuffer()).subarray(0, 3)).toEqual(Buffer.from([0xff, 0xd8, 0xff]));
  expect((await fetch(url)).status).toBe(401);
  const elsewhere = await fetch(`${service.url}/v1/artifacts/${session.results[0]?.checkResultId}`, {
    headers,
  });
  expect(elsewhere.status).toBe(404);

  // Whoever has the result's link sees them on its page.
  const page = await (await fetch(session.results[0]?.checkResultLink ?? '')).text();
  const shown = await fetch(service.url + /<img src="([^"]+)"/.exec(page)?.[1]);
  expect(shown.headers.get('content-type')).toBe('image/jpeg');
  expect(page).toContain(`(${isolation.level})`);

  const files = await readdir(join(service.data, 'artifacts'), { recursive: true, withFileTypes: true });
  const modes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mode & 0o777),
  );
  expect(new Set(modes)).toEqual(new Set([0o700, 0o600]));
});

it('says of a runtime that is not there which are, as an error of its own', async () => {
  const check = await service.make<{ id: string }>('POST /v1/checks/browser', {
    ...{ name: 'Old', script: '1', runtimeId: '2022.10', retryStrategy: null, doubleCheck: false },
  });
  const { session, result } = await ran(check.id);
  expect(session.results[0]?.hasErrors).toBe(true);
  expect(result.hasFailures).toBe(false);
  expect(result.errors[0]).toContain(
    'the runtime 2022.10 is not installed (installed: 2026.04). Install it with: npm install',
  );
});

it('masks what looks like a secret where the account asks for it, and says so', async () => {
  const found = async () => {
    const check = await service.make<{ id: string }>('POST /v1/checks/browser', {
      ...{ name: 'Leak', script: "console.log('key AKIAIOSFODNN7EXAMPLE')", retryStrategy: null },
    });
    return (await ran(check.id)).result.browserCheckResult;
  };
  expect((await service.api('GET /v1/account/secret-detection')).body).toEqual({ enabled: false });
  const before = await found();
  expect(before.console.map(({ text }) => text)).toEqual(['key AKIAIOSFODNN7EXAMPLE']);
  expect(before.detectedSecrets).toBeUndefined();
  await service.make('PUT /v1/account/secret-detection', { enabled: true });
  const after = await found();
  await service.make('PUT /v1/account/secret-detection', { enabled: false });
  expect(after.console.map(({ text }) => text)).toEqual(['key ***']);
  expect(after.detectedSecrets).toEqual([{ kind: 'AWS access key', count: 1 }]);
});

it('tells in /health what runs browser checks', async () => {
  const { body } = await service.api('GET /health');
  expect(body).toMatchObject({
    browserChecks: { browser: expect.stringContaining('chrom'), atOnce: 1, runtimes: [{ id: '2026.04' }] },
  });
});
