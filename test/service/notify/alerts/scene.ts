/** A real service with a check that finds what a test says, and people who are alerted of it over real receivers. */

import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { AbortSignalLike } from '../../../../src/base/abort.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { systemRandom } from '../../../../src/base/random.ts';
import type { RunContext, RunOutcome } from '../../../../src/runners/core/runner.ts';
import { createService, type Service } from '../../../../src/service/service.ts';
import type { ServiceOptions } from '../../../../src/service/service-options.ts';
import type { CheckGroupBody, StoreLocation, TypedCheckBody } from '../../../../src/service/store/index.ts';
import { byHand } from '../../../support/by-hand.ts';
import type { ManualClock } from '../../../support/clock.ts';
import { eventually } from '../../../support/eventually.ts';
import { temporaryFolder } from '../../../support/folder.ts';
import { answer, serveWith } from '../../../support/http.ts';
import { startMailServer } from '../../../support/mail/smtp-server.ts';
import { startTestService } from '../../../support/service.ts';
import { GOOD } from './outcomes.ts';

type Fields = Partial<(TypedCheckBody & { type: 'DNS' })['body']>;

interface SceneOptions {
  /** A clock that the test moves; left out: the machine's. */
  readonly clock?: ManualClock;
  /** Puts the check into a group. */
  readonly group?: Partial<CheckGroupBody>;
  /** A Postgres database that its store is in; left out: a file. */
  readonly databaseUrl?: string;
  /** Where the APIs of vendors are; left out: where they really are. */
  readonly vendorOrigins?: Readonly<Record<string, string>>;
  /** Bot token for channels of Slack apps without one. */
  readonly slackToken?: string;
}

/** Settings that a check or group has of its own, not the account's. */
export const own = (alertSettings: NonNullable<Fields['alertSettings']>) => ({
  ...{ useGlobalAlertSettings: false, alertSettings },
});

const TEMPLATE = '{"title": "{{ALERT_TITLE}}", "why": "{{CHECK_ERROR_MESSAGE}}", "type": "{{ALERT_TYPE}}"}';

export async function scene(
  fields: Fields = {},
  { clock, group, databaseUrl, vendorOrigins = {}, slackToken }: SceneOptions = {},
) {
  let outcome = GOOD;
  let runner = async (_: unknown, __: RunContext, ___: AbortSignalLike): Promise<RunOutcome> => outcome;
  const mail = await startMailServer();
  const receiver = await serveWith((_, response) => answer(response, {}));
  const location: StoreLocation =
    databaseUrl === undefined ? { path: join(await temporaryFolder(), 'sonde.db') } : { url: databaseUrl };
  const options: Partial<ServiceOptions> & Pick<ServiceOptions, 'store' | 'clock'> = {
    ...{ clock: clock ?? systemClock, store: location },
    engine: { runners: { DNS: (...given) => runner(...given) } },
    delivery: {
      vendorOrigins,
      slackToken,
      mail: {
        ...{ host: '127.0.0.1', port: mail.port, secure: false, requireTls: false },
        from: 'sonde@example.com',
      },
    },
  };
  const test = await startTestService(options);
  let service: Service = test.service;
  onTestFinished(async () => {
    await service.stop();
    await test.close();
    await mail.close();
  });
  const { accountId, store } = test;
  const email = await store.alertChannels.create(accountId, {
    ...{ type: 'EMAIL', config: { address: 'ops@example.com' } },
  });
  const webhook = await store.alertChannels.create(accountId, {
    ...{ type: 'WEBHOOK', sendDegraded: true },
    config: { name: 'hook', url: receiver.url, template: TEMPLATE },
  });
  const slack = await store.alertChannels.create(accountId, {
    ...{ type: 'SLACK', config: { url: `${receiver.url}/slack` } },
  });
  const grouped =
    group &&
    (await store.groups.create(accountId, { name: 'a group', retryStrategy: 'FALLBACK' as const, ...group }));
  const check = await store.checks.create(accountId, {
    type: 'DNS',
    body: {
      ...{ name: 'say "hi" <!channel>', request: { query: 'example.org' }, heartbeat: {}, script: '' },
      ...{ retryStrategy: null, ...byHand(clock?.now()) },
      ...{ ...(grouped ? { groupId: grouped.id } : {}), ...fields },
    },
  });
  const to = [email, webhook, slack].map(({ id }) => ({ channelId: id, activated: true }));
  await store.subscriptions.set(accountId, { checkId: check.id }, to);

  const start = async () => {
    const target = { checkId: [check.id] };
    const [started] = await service.engine.startSessions({ accountId, runSource: 'TRIGGER_API', target });
    return started?.checkSessionId ?? '';
  };
  const ended = async (id: string) => {
    const waited = service.engine.awaitSession(accountId, id, 10_000);
    let isOver = false;
    void waited.finally(() => {
      isOver = true;
    });
    // By little steps: whoever waits for minutes must not be woken by them.
    while (clock !== undefined && !isOver) await clock.advance(1);
    return (await waited)?.session;
  };
  return {
    ...{ accountId, mail, receiver, check, grouped, channels: { email, webhook, slack }, start, ended },
    ...{ url: test.url, apiKey: test.apiKey },
    get store() {
      return service.store;
    },
    get engine() {
      return service.engine;
    },
    /** Starts a session that finds this, and waits for its end. */
    async run(next: RunOutcome) {
      outcome = next;
      return ended(await start());
    },
    /** From now on, by location. */
    finds(find: (context: RunContext, signal: AbortSignalLike) => Promise<RunOutcome>) {
      runner = (_, context, signal) => find(context, signal);
    },
    /** Starts a session whose run waits until `answer` is called, and then finds this. */
    async startWaiting(next: RunOutcome) {
      const answers: (() => void)[] = [];
      runner = () => new Promise((resolve) => answers.push(() => resolve(next)));
      const session = await start();
      await eventually(() => expect(answers).toHaveLength(1));
      return { session, answer: () => answers[0]?.() };
    },
    /** Another service over the same database, for as long as the test lasts. */
    async another(): Promise<Service> {
      const other = await createService({
        ...{ listen: { host: '127.0.0.1', port: 0 }, random: systemRandom, ...options },
      });
      onTestFinished(() => other.stop());
      await other.start();
      return other;
    },
    /** Stops the service; what the answer does starts another over the same store. */
    async stop() {
      await service.stop();
      return async () => {
        service = await createService({
          ...{ listen: { host: '127.0.0.1', port: 0 }, random: systemRandom, ...options },
        });
        await service.start();
      };
    },
    /** What alerts were written, in their order: `webhook ALERT_FAILURE`. */
    async alerts(): Promise<string[]> {
      const query = service.store.db.selectFrom('outbox').select(['kind', 'alert_type']);
      const rows = await query.where('alert_type', 'is not', null).orderBy('id').execute();
      return rows.map(({ kind, alert_type: type }) => `${kind} ${type}`);
    },
  };
}

/** An alert over every channel of the scene that wants it. */
export const overAll = (type: string) => [`email ${type}`, `webhook ${type}`, `slack ${type}`];
