/** What the calls of the Go SDK need of a service: a check with a result. */
import { BAD } from '../../service/notify/alerts/outcomes.ts';
import { byHand } from '../../support/by-hand.ts';
import { startTestService, type TestService } from '../../support/service.ts';

export interface GoSdkWorld extends TestService {
  readonly checkId: string;
  readonly resultId: string;
  readonly suiteId: string;
}

/** Starts a service with a failed check. The caller closes it. */
export async function startGoSdkWorld(): Promise<GoSdkWorld> {
  const runtimes = async () => [
    { id: '2026.04', nodeVersion: process.versions.node, playwrightVersion: '1.65.1' },
  ];
  const service = await startTestService({ runtimes, engine: { runners: { DNS: async () => BAD } } });
  const { accountId, store } = service;
  const { engine } = service.service;
  const request = { query: 'example.org' };
  const body = { name: 'fails', request, heartbeat: {}, script: '', retryStrategy: null, ...byHand() };
  const { id: checkId } = await store.checks.create(accountId, { type: 'DNS', body });
  const target = { checkId: [checkId] };
  const [started] = await engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
  await engine.awaitSession(accountId, started?.checkSessionId ?? '', 10_000);
  const [result] = await engine.results.list({ accountId, checkId });
  if (result?.id === undefined) throw new Error('the check has no result');
  const codeBundleId = (await store.codeBundles.save(accountId, Buffer.from('PK a project'))).id;
  const suite = await store.checks.create(accountId, {
    type: 'PLAYWRIGHT',
    body: { name: 'Suite', codeBundleId, frequency: 10, activated: false },
  });
  return { ...service, checkId, resultId: result.id, suiteId: suite.id };
}
