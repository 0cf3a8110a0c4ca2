/** Blank names and URLs with spaces are refused by create, update, try and plan, and nothing changes. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { command as createApi } from '../../commands/checks/create-api.ts';
import { command as createUrl } from '../../commands/checks/create-url.ts';
import { command as update } from '../../commands/checks/update.ts';
import { command as plan } from '../../commands/plan.ts';
import { envOf } from '../cli/resources/journey.ts';
import { runLine } from '../support/command.ts';
import { send } from '../support/send.ts';
import { startTestService, type TestService } from '../support/service.ts';

let service: TestService;
let id: string;
beforeAll(async () => {
  service = await startTestService();
  const { body } = await send(service, 'POST /v1/checks/url', {
    name: 'Shop',
    request: { url: 'https://shop.test/' },
  });
  ({ id } = body as { id: string });
});
afterAll(() => service.close());

const blank = fc.string({
  unit: fc.constantFrom(' ', '\t', '\n', '\u00a0', '\u2028', '\u2029'),
  maxLength: 4,
});
const spaced = fc
  .tuple(
    fc.constantFrom('http', 'https'),
    fc.stringMatching(/^[a-z]{1,5}$/),
    fc.stringMatching(/^[a-z]{1,5}$/),
  )
  .map(([scheme, a, b]) => `${scheme}://${a} ${b}.com`);
const VALID = 'https://shop.test/';

it('refuses them everywhere', async () => {
  const before = (await send(service, 'GET /v1/checks')).body;
  const options = { env: envOf(service) };
  const cases = fc.oneof(
    blank.map((name) => [name, VALID] as const),
    spaced.map((url) => ['Shop 2', url] as const),
  );
  await fc.assert(
    fc.asyncProperty(cases, async ([name, url]) => {
      const changed = url === VALID ? ['--name', name] : ['--url', url];
      const checks = [{ name, checkType: 'URL', request: { url } }];
      // By the command, or by the service.
      for (const outcome of [
        await runLine(createUrl, ['--name', name, '--url', url, '--yes'], options),
        await runLine(createApi, ['--name', name, '--url', url, '--yes'], options),
        await runLine(update, [id, ...changed, '--yes'], options),
        await runLine(createUrl, ['-f', 'f.json', '--yes'], {
          ...options,
          files: { 'f.json': JSON.stringify(checks[0]) },
        }),
        await runLine(plan, ['f'], { ...options, files: { f: JSON.stringify({ checks }) } }),
      ])
        expect(outcome).toMatchObject({
          code: expect.toSatisfy((code) => code === 2 || code === 3),
          stdout: '',
        });
    }),
    { numRuns: 12 },
  );
  expect((await send(service, 'GET /v1/checks')).body).toEqual(before);
});
