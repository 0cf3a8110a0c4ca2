/** What `get` prints goes back by `put` as it was, whatever a page holds; and what a change replaced can be put back. */
import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { command as get } from '../../../commands/status-pages/get.ts';
import { command as put } from '../../../commands/status-pages/put.ts';
import { updateStatusPage } from '../../../src/contract/index.ts';
import { pairsOf, valuesFrom } from '../../support/bodies.ts';
import { runLine, serviceAt } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { answer, serveWith } from '../../support/http.ts';
import { runs } from '../../support/sampled.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const schema = updateStatusPage.body ?? {};
const RUNS = { numRuns: runs(6, 30) };

interface Page {
  readonly id: string;
  readonly updated_at: string;
  readonly cards: readonly Record<string, unknown>[];
}

describe('a status page of a real service', () => {
  let service: TestService;
  let id: string;
  let bodies: fc.Arbitrary<unknown>;
  const api = async <T>(line: string, body?: unknown): Promise<T> => {
    const { status, body: answered } = await send(service, line, body);
    if (status >= 300) throw new Error(`${line}: ${status} ${JSON.stringify(answered)}`);
    return answered as T;
  };
  const env = () => ({ SONDE_BASE_URL: service.url, SONDE_API_KEY: service.apiKey });
  const page = () => api<Page>(`GET /v1/status-pages/${id}`);

  beforeAll(async () => {
    service = await startTestService({ trustCustomDomains: true });
    const services = await Promise.all(
      ['Checkout', '123', 'two\nlines'].map((name) =>
        api<{ id: string }>('POST /v1/status-pages/services', { name }),
      ),
    );
    const body = { name: 'Shop', url: 'shop', cards: [] };
    ({ id } = await api<{ id: string }>('POST /v1/status-pages', body));
    bodies = valuesFrom(schema, {
      'cards[].services[].id': fc.constantFrom(...services.map((each) => each.id)),
      'cards[].statusPageId': fc.constant(id),
      customDomain: fc.constantFrom(null, 'status.example.com', 'Status.Example.org'),
      // The service makes one.
      'cards[].id': fc.constant(undefined),
    });
  });
  afterAll(() => service.close());

  it('goes from get to put unchanged, and is not sent at all', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await api(`PUT /v1/status-pages/${id}`, body);
        const before = await page();
        const printed = await runLine(get, [id, '-o', 'yaml'], { env: env() });
        expect(parse(printed.stdout)).toEqual(before);
        const outcome = await runLine(put, [id, '-f', '-'], { env: env(), input: printed.stdout });
        expect(outcome).toMatchObject({ code: 0 });
        const [note, last] = outcome.stderr.trimEnd().split('\n');
        expect(note).toMatch(/ignored in stdin, because the request has no such fields: id, /);
        expect(last).toBe(`No changes. The status page ${id} is up to date.`);
        expect(await page()).toEqual(before);
      }),
      RUNS,
    );
  });

  it('stands again field by field after a change and the command that puts it back', async () => {
    const home = await temporaryFolder();
    // Cards that were gone come back as new ones.
    const told = ({ cards, updated_at: _, ...fields }: Page) => ({
      ...fields,
      cards: cards.map(({ id: _id, created_at: _created, updated_at: _updated, ...card }) => card),
    });
    await fc.assert(
      fc.asyncProperty(pairsOf(bodies, schema), async ([first, second]) => {
        await api(`PUT /v1/status-pages/${id}`, first);
        const before = await page();
        const files = { 'page.json': JSON.stringify(second) };
        const changed = await runLine(put, [id, '-f', 'page.json'], { env: env(), home, files });
        expect(changed.code).toBe(0);
        // No change was taken for none.
        const standing = told(await page());
        await api(`PUT /v1/status-pages/${id}`, second);
        expect(standing).toEqual(told(await page()));
        const [, words = ''] = changed.stderr.match(/^ {2}sonde status-pages put (.+)$/m) ?? [];
        expect(/No (?:visible )?changes\./.test(changed.stderr)).toBe(words === '');
        if (words === '') return;
        const restored = await runLine(put, words.split(' '), { env: env(), home });
        expect(restored.code).toBe(0);
        expect(told(await page())).toEqual(told(before));
        expect(parse(await readFile(words.split(' ').at(-1) ?? '', 'utf8'))).toEqual(before);
      }),
      RUNS,
    );
  });

  it('leaves out what a newer service has besides, and changes nothing', async () => {
    const newer = fc.record({
      body: bodies,
      more: fc.dictionary(fc.stringMatching(/^x[A-Z][a-z]{5,9}$/), fc.jsonValue()),
    });
    let shown: unknown;
    const sent: string[] = [];
    const proxy = await serveWith(({ method }, response) => {
      if (method !== 'GET') sent.push(method);
      answer(response, { body: shown });
    });
    await fc.assert(
      fc.asyncProperty(newer, async ({ body, more }) => {
        await api(`PUT /v1/status-pages/${id}`, body);
        const { cards, ...fields } = await page();
        shown = { ...fields, ...more, cards: cards.map((card) => ({ ...card, ...more })) };
        const printed = await runLine(get, [id, '-o', 'yaml'], { env: serviceAt(proxy.url) });
        const outcome = await runLine(put, [id, '-f', '-'], {
          env: serviceAt(proxy.url),
          input: printed.stdout,
        });
        expect(outcome).toMatchObject({
          code: 0,
          stderr: expect.stringMatching(/No (?:visible )?changes\./),
        });
        expect(sent).toEqual([]);
      }),
      RUNS,
    );
  });
});
