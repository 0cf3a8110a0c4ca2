/** Alert channels, and which checks and groups alert them. */
import { type BodyOf, createAlertChannel, type ResponseOf, type Violation } from '../../../contract/index.ts';
import { testMessageFor } from '../../notify/alerts/channels.ts';
import { problemsOf } from '../../notify/alerts/validate-channel.ts';
import { recipientOf } from '../../notify/outbox/index.ts';
import type { AlertChannelBody, AlertChannelRecord, Subscription } from '../../store/index.ts';
import { keptConfig, shownConfig } from './alerting.ts';
import type { HandlerContext, HandlersFor } from './context.ts';
import { ages, changed, completed, numberedPage } from './documents.ts';
import { invalid, notFound, violation } from './problem.ts';
import type { Shelves } from './references.ts';

type Requested = NonNullable<BodyOf<typeof createAlertChannel>['subscriptions']>;
type Answer = ResponseOf<typeof createAlertChannel>;
type Targets = ({ readonly activated: boolean } & ({ checkId: string } | { groupId: number }))[];

/** Whoever asks for a test waits for it: it is neither kept nor tried again. */
const LONGEST_TEST_MS = 25_000;

function present(channel: AlertChannelRecord, subscriptions: readonly Subscription[]): Answer {
  const { config, ...fields } = channel.body;
  return {
    id: channel.id,
    ...fields,
    config: shownConfig(config),
    subscriptions: subscriptions.map(({ checkId, groupId, activated }) => ({ checkId, groupId, activated })),
    ...ages(channel),
  };
}

/** The checks and groups that a request subscribes. Throws `Problem` 400 for what isn't there, and for neither or both. */
async function targets(store: Shelves, accountId: string, requested: Requested): Promise<Targets> {
  const found: Violation[] = [];
  const named: Targets = [];
  const seen = new Set<string>();
  for (const [index, { checkId, groupId, activated = true }] of requested.entries()) {
    const wrong = (field: string[], keyword: string, message: string) =>
      found.push(violation('body', ['subscriptions', index, ...field], keyword, message));
    const [hasCheck, hasGroup] = [typeof checkId === 'string', typeof groupId === 'number'];
    const name = hasCheck ? `check ${checkId}` : `group ${groupId}`;
    if (hasCheck === hasGroup) wrong([], 'target', 'must contain either checkId or groupId');
    else if (seen.has(name)) wrong([], 'uniqueItems', `must not contain ${name} twice`);
    else if (typeof checkId === 'string') {
      if (!(await store.checks.get(accountId, checkId))) {
        wrong(['checkId'], 'reference', 'does not match any check of this account');
      }
      named.push({ checkId, activated });
    } else if (typeof groupId === 'number') {
      if (!(await store.groups.get(accountId, groupId))) {
        wrong(['groupId'], 'reference', 'does not match any check group of this account');
      }
      named.push({ groupId, activated });
    }
    seen.add(name);
  }
  if (found.length > 0) throw invalid(found);
  return named;
}

/** The body, where what it says of its destination can be delivered to. Throws `Problem` 400. */
function deliverable<T extends Pick<AlertChannelBody, 'type' | 'config'>>(body: T): T {
  const found = problemsOf(body).map(({ path, message }) =>
    violation('body', ['config', ...path], 'alertChannelConfig', message),
  );
  if (found.length > 0) throw invalid(found);
  return body;
}

const UNSENT: Readonly<Record<string, string>> = {
  EMAIL: 'This service has no SMTP server configured: e-mails are not sent.',
  SMS: 'This service has no SMS gateway configured: SMS messages are not sent.',
};

export function alertChannelHandlers(context: HandlerContext) {
  const { store, clock, random, stopping, deliver, deliveries } = context;
  /** Warns in a header if the service cannot send what the channel needs. */
  function warn(header: (name: string, value: string) => void, { body: { type } }: AlertChannelRecord) {
    const warning = UNSENT[type];
    const canSend = type === 'EMAIL' ? deliveries.email : deliveries.sms;
    if (warning !== undefined && !canSend) header('x-warning', warning);
  }
  const show = async (channel: AlertChannelRecord) =>
    present(channel, await store.subscriptions.ofChannel(channel.accountId, channel.id));
  async function presentAll(accountId: string, channels: readonly AlertChannelRecord[]) {
    const ids = channels.map(({ id }) => id);
    const all = await store.subscriptions.ofMany(accountId, 'channelId', ids);
    return channels.map((channel) =>
      present(
        channel,
        all.filter(({ channelId }) => channelId === channel.id),
      ),
    );
  }

  return {
    listAlertChannels: (call) =>
      numberedPage(store.alertChannels, call, (channels) => presentAll(call.accountId, channels)),

    async createAlertChannel({ accountId, endpoint, body, header }) {
      const { subscriptions = [], ...fields } = deliverable(completed(endpoint, body));
      const channel = await store.transaction(async (tx) => {
        const named = await targets(tx, accountId, subscriptions);
        const created = await tx.alertChannels.create(accountId, fields);
        await tx.subscriptions.setOfChannel(accountId, created.id, named);
        return created;
      });
      warn(header, channel);
      return show(channel);
    },

    async getAlertChannel({ accountId, params }) {
      const channel = await store.alertChannels.get(accountId, params.id);
      if (!channel) throw notFound(`alert channel ${params.id}`);
      return show(channel);
    },

    async updateAlertChannel({ accountId, params, body, header }) {
      const { subscriptions, ...fields } = body;
      const channel = await store.transaction(async (tx) => {
        const after = await tx.alertChannels.change(accountId, params.id, (before) =>
          deliverable(
            changed(
              createAlertChannel,
              before,
              fields.config ? { ...fields, config: keptConfig(fields.config, before.config) } : fields,
              clock.now(),
            ),
          ),
        );
        if (!after) throw notFound(`alert channel ${params.id}`);
        if (subscriptions) {
          const named = await targets(tx, accountId, subscriptions);
          await tx.subscriptions.setOfChannel(accountId, params.id, named);
        }
        return after;
      });
      warn(header, channel);
      return show(channel);
    },

    async testAlertChannel({ accountId, params }) {
      const channel = await store.alertChannels.get(accountId, params.id);
      if (!channel) throw notFound(`alert channel ${params.id}`);
      const message = testMessageFor(channel.body, clock.now());
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LONGEST_TEST_MS)]);
      const delivery = await deliver(message, { idempotencyKey: `test-${random.uuid()}`, signal });
      return {
        delivered: delivery.ok,
        recipient: recipientOf(message),
        error: delivery.ok ? null : delivery.error,
      };
    },

    async deleteAlertChannel({ accountId, params }) {
      const wasThere = await store.alertChannels.delete(accountId, params.id);
      if (!wasThere) throw notFound(`alert channel ${params.id}`);
      return undefined;
    },
  } satisfies HandlersFor<
    | 'listAlertChannels'
    | 'createAlertChannel'
    | 'getAlertChannel'
    | 'updateAlertChannel'
    | 'deleteAlertChannel'
    | 'testAlertChannel'
  >;
}
