/** `sonde apply` as a process that is killed or stopped at some request: the next run completes it, and nothing exists twice. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApplyProxy } from '../cli/manifest/apply/apply-proxy.ts';
import { sonde, startSonde } from '../support/binary.ts';
import { type E2eService, startE2eService } from '../support/e2e.ts';

let service: E2eService;
beforeAll(async () => {
  service = await startE2eService();
});
afterAll(() => service.close());

const CHECKS = 5;
const projectFile = (project: string): string => `
project: ${project}
groups: [{ name: ${project} }]
checks:
${Array.from({ length: CHECKS }, (_, index) => `  - { name: ${project} ${index}, checkType: URL, group: ${project}, request: { url: https://a.test } }\n`).join('')}`;

it.each([
  ['SIGKILL', 4, null],
  ['SIGKILL', 5, null],
  ['SIGKILL', 9, null],
  ['SIGTERM', 6, 143],
] as const)('%s at request %i', async (signal, at, code) => {
  const project = `shop-${at}`;
  const folder = join(service.home, project, 'monitoring');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'checks.yaml'), projectFile(project));
  const proxy = await startApplyProxy(service.url);
  const cwd = join(service.home, project);
  const env = { ...service.env, SONDE_BASE_URL: proxy.url, SONDE_API_KEY: service.key };
  const killed = new Promise<void>((resolve) => {
    proxy.meet(at, 'lost', {
      batches: false,
      onFault: () => {
        running.child.kill(signal);
        resolve();
      },
    });
  });
  const running = startSonde(['apply', '--yes'], { env, cwd });
  await killed;
  expect((await running.ended).code).toBe(code);
  if (code !== null) {
    expect(running.stderr()).toContain(`stopped before the plan was complete: 1 created; ${CHECKS} left.`);
    // The request in progress ended, and its outcome was recorded.
    const { stdout } = await sonde(['plan', '--refresh-only', '--json'], { env: service.env, cwd });
    expect(JSON.parse(stdout).summary).toMatchObject({ unchanged: 1 });
  }
  expect(await sonde(['apply', '--yes'], { env: service.env, cwd })).toMatchObject({ code: 0 });
  const next = await sonde(['plan', '--prune', '--detailed-exitcode'], { env: service.env, cwd });
  expect(next.stdout).toBe(`No changes. ${CHECKS + 1} resources are up to date.\n`);
  expect(next.code).toBe(0);
  const names = (await service.make<{ name: string }[]>('GET /v1/checks?limit=100')).map(({ name }) => name);
  const own = names.filter((name) => name.startsWith(`${project} `));
  expect(own.toSorted()).toEqual(Array.from({ length: CHECKS }, (_, index) => `${project} ${index}`));
  await proxy.close();
});
