/** What `api get` prints of a group goes back by `groups update` as it was, in both forms; and a change can be put back. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { command as apiCommand } from '../../../commands/api.ts';
import { command as update } from '../../../commands/groups/update.ts';
import { updateCheckGroup, updateCheckGroupV2 } from '../../../src/contract/index.ts';
import { type Known, pairsOf, SENDABLE, valuesFrom } from '../../support/bodies.ts';
import { runLine } from '../../support/command.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { runs } from '../../support/sampled.ts';
import { send } from '../../support/send.ts';
import { startTestService, type TestService } from '../../support/service.ts';

const RUNS = { numRuns: runs(6, 30) };
/** A group without its time of change; no list and an empty list are one to the service, and to a difference. */
function meaning({ updated_at: _, ...group }: Record<string, unknown>): Record<string, unknown> {
  const { privateLocations, environmentVariables } = group;
  return {
    ...group,
    privateLocations: privateLocations ?? [],
    environmentVariables: environmentVariables ?? [],
  };
}

type Defaults = { readonly apiCheckDefaults?: { readonly url?: string } | null };
const urlOf = (body: unknown) => (body as Defaults).apiCheckDefaults?.url;
/** Whether a group may have a secret, which does not follow its URL to another origin. */
const hasSecret = (body: unknown): boolean => /"basicAuth":\{|"locked":true/.test(JSON.stringify(body));

/** The version of the endpoint to which the command sends a body: a double check without a strategy needs the older one. */
const putOf = (body: object): string => ('doubleCheck' in body && !('retryStrategy' in body) ? 'v1' : 'v2');

/** Of the first, an answer shows that there is a sign-in, and nothing of it. */
const ONLY_A_PASSWORD = [
  { name: 'a', apiCheckDefaults: { basicAuth: { password: '' } }, alertChannelSubscriptions: [] },
  { name: 'b', alertChannelSubscriptions: [] },
] as const;
const FORMS = [
  { name: 'the older endpoint', endpoint: updateCheckGroup, version: 'v1' },
  { name: 'the newer endpoint', endpoint: updateCheckGroupV2, version: 'v2' },
] as const;

describe.each(FORMS)('a check group of a real service, by $name', ({ endpoint, version }) => {
  let service: TestService;
  let id: number;
  let bodies: fc.Arbitrary<unknown>;
  const api = async <T>(line: string, body?: unknown): Promise<T> => {
    const { status, body: answered } = await send(service, line, body);
    if (status >= 300) throw new Error(`${line}: ${status} ${JSON.stringify(answered)}`);
    return answered as T;
  };
  const env = () => ({ SONDE_BASE_URL: service.url, SONDE_API_KEY: service.apiKey });
  /** A new group, because a secret of another body would not follow the URL of this one. */
  const create = async (body: unknown): Promise<void> => {
    ({ id } = await api<{ id: number }>('POST /v1/check-groups', { name: 'Shop' }));
    await api(`PUT /${version}/check-groups/${id}`, body);
  };
  const group = () => api<Record<string, unknown>>(`GET /v1/check-groups/${id}`);

  beforeAll(async () => {
    service = await startTestService();
    const snippet = await api<{ id: number }>('POST /v1/snippets', { name: 's', script: '//' });
    await api('POST /v1/private-locations', { name: 'lab', slugName: 'lab' });
    const channel = await api<{ id: number }>('POST /v1/alert-channels', {
      type: 'EMAIL',
      config: { address: 'a@example.com' },
    });
    const snippets = fc.constantFrom(null, snippet.id);
    const known: Known = {
      ...SENDABLE,
      setupSnippetId: snippets,
      tearDownSnippetId: snippets,
      privateLocations: fc.constantFrom(null, [], ['lab']),
      alertChannelSubscriptions: fc.constantFrom(
        [],
        [{ alertChannelId: channel.id, activated: true }],
        [{ alertChannelId: channel.id, activated: false }],
      ),
      environmentVariables: fc.option(
        fc.uniqueArray(
          valuesFrom(endpoint.body?.properties?.environmentVariables?.items ?? {}, {
            key: fc.stringMatching(/^[A-Z]{1,6}$/),
          }),
          { maxLength: 3, selector: (variable) => (variable as { key: string }).key },
        ),
      ),
    };
    bodies = valuesFrom({ ...endpoint.body, required: ['name', 'alertChannelSubscriptions'] }, known);
  });
  afterAll(() => service.close());

  it('goes from get to update unchanged, and is not sent at all', async () => {
    await fc.assert(
      fc.asyncProperty(bodies, async (body) => {
        await create(body);
        const before = await group();
        const printed = await runLine(apiCommand, ['get', `/v1/check-groups/${id}`], { env: env() });
        const outcome = await runLine(update, [String(id), '-f', '-', '--replace'], {
          env: env(),
          input: printed.stdout,
        });
        expect(outcome).toMatchObject({ code: 0 });
        expect(outcome.stderr).toContain(`No changes. The group ${id} is up to date.\n`);
        expect(await group()).toEqual(before);
      }),
      RUNS,
    );
  });

  it('stands again field by field after a change and the command that puts it back', async () => {
    const home = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(pairsOf(bodies, endpoint.body ?? {}), async ([first, second]) => {
        fc.pre(urlOf(first) === urlOf(second) || !(hasSecret(first) || hasSecret(second)));
        await create(first);
        const before = meaning(await group());
        const files = { 'group.json': JSON.stringify(second) };
        const options = { env: env(), home, files };
        const changed = await runLine(update, [String(id), '-f', 'group.json', '--replace'], options);
        expect(changed.code).toBe(0);
        // No change was taken for none.
        const standing = meaning(await group());
        await api(`PUT /${putOf(second)}/check-groups/${id}`, second);
        expect(standing).toEqual(meaning(await group()));
        const [, words = ''] = changed.stderr.match(/^ {2}sonde groups update (.+)$/m) ?? [];
        expect(/No (?:visible )?changes\./.test(changed.stderr)).toBe(words === '');
        if (words === '') return;
        expect(await runLine(update, words.split(' '), { env: env(), home })).toMatchObject({ code: 0 });
        expect(meaning(await group())).toEqual(before);
      }),
      { ...RUNS, examples: [[ONLY_A_PASSWORD]] },
    );
  });
});
