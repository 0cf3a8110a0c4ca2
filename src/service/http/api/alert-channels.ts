/** Handles alert channels and their subscriptions. */

import { type BodyOf, createAlertChannel, type ResponseOf, type Violation } from '../../../contract/index.ts';
import { changeAlerting } from '../../notify/alerts/change-alerting.ts';
import { renderTestMessages, validateChannel } from '../../notify/channels/index.ts';
import { formatRecipient } from '../../notify/facts/message.ts';
import type {
  AlertChannelBody,
  AlertChannelRecord,
  StoreTransaction,
  Subscription,
} from '../../store/index.ts';
import { applyChange, applyDefaults, createDocumentResource, timestamps } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { assertValid, requireFound, violation } from './problem.ts';
import { maskConfig, restoreConfig } from './secrets.ts';

type RequestedSubscriptions = NonNullable<BodyOf<typeof createAlertChannel>['subscriptions']>;
type Targets = ({ readonly activated: boolean } & ({ checkId: string } | { groupId: number }))[];

/** A caller waits for a test message, so it is neither stored nor retried. */
const TEST_TIMEOUT_MS = 25_000;

function present(
  channel: AlertChannelRecord,
  subscriptions: readonly Subscription[],
): ResponseOf<typeof createAlertChannel> {
  const { config: _, ...fields } = channel.body;
  return {
    id: channel.id,
    ...fields,
    config: maskConfig(channel.body),
    subscriptions: subscriptions
      .filter(({ channelId }) => channelId === channel.id)
      .map(({ checkId, groupId, activated }) => ({ checkId, groupId, activated })),
    ...timestamps(channel),
  };
}

/**
 * Returns the checks and groups to subscribe. Throws `Problem` 400 for missing ones, and for neither or both in an entry.
 * `pathOf` returns the path of an entry in the body.
 */
async function resolveTargets(
  tx: StoreTransaction,
  accountId: string,
  requested: RequestedSubscriptions,
  pathOf: (index: number) => Violation['path'] = (index) => ['subscriptions', index],
): Promise<Targets> {
  const violations: Violation[] = [];
  const targets: Targets = [];
  const seenNames = new Set<string>();
  for (const [index, { checkId, groupId, activated = true }] of requested.entries()) {
    const report = (field: string[], keyword: string, message: string) =>
      violations.push(violation('body', [...pathOf(index), ...field], keyword, message));
    const [hasCheck, hasGroup] = [typeof checkId === 'string', typeof groupId === 'number'];
    const name = hasCheck ? `check ${checkId}` : `group ${groupId}`;
    if (hasCheck === hasGroup) report([], 'target', 'must contain either checkId or groupId');
    else if (seenNames.has(name)) report([], 'uniqueItems', `must not contain ${name} twice`);
    else if (typeof checkId === 'string') {
      if (!(await tx.checks.get(accountId, checkId)))
        report(['checkId'], 'reference', 'does not match any check of this account');
      targets.push({ checkId, activated });
    } else if (typeof groupId === 'number') {
      if (!(await tx.groups.get(accountId, groupId)))
        report(['groupId'], 'reference', 'does not match any check group of this account');
      targets.push({ groupId, activated });
    }
    seenNames.add(name);
  }
  assertValid(violations);
  return targets;
}

const NO_TOKEN = {
  path: ['token'],
  message:
    'is required: give the bot token of a Slack app, or set SONDE_SLACK_TOKEN for all channels and restart the service',
};

export function alertChannelHandlers(context: HandlerContext) {
  const { store, clock, random, stopping, deliver, deliveries, hasSlackToken } = context;
  /** Returns the body. Throws `Problem` 400 if nothing can be delivered to its destination. */
  function assertDeliverable<T extends Pick<AlertChannelBody, 'type' | 'config'>>(body: T): T {
    const lacksToken = body.type === 'SLACK_APP' && !body.config.token && !hasSlackToken;
    const problems = [...(lacksToken ? [NO_TOKEN] : []), ...validateChannel(body)];
    assertValid(
      problems.map(({ path, message }) =>
        violation('body', ['config', ...path], 'alertChannelConfig', message),
      ),
    );
    return body;
  }
  const channels = createDocumentResource({
    collection: store.alertChannels,
    label: 'alert channel',
    param: 'id',
    async present(all, accountId) {
      const ids = all.map(({ id }) => id);
      const subscriptions = await store.subscriptions.ofMany(accountId, 'channelId', ids);
      return all.map((channel) => present(channel, subscriptions));
    },
  });
  /** Returns the response, with a warning in a header if the service cannot send what the channel needs. */
  function presentStored(channel: AlertChannelRecord, header: (name: string, value: string) => void) {
    const { type } = channel.body;
    if (type === 'EMAIL' && !deliveries.email)
      header('x-warning', 'This service has no SMTP server configured: e-mails are not sent.');
    if (type === 'SMS' && !deliveries.sms)
      header('x-warning', 'This service has no SMS gateway configured: SMS messages are not sent.');
    return channels.presentOne(channel);
  }

  return {
    listAlertChannels: channels.list,

    async createAlertChannel({ accountId, endpoint, body, header }) {
      const { subscriptions = [], ...fields } = assertDeliverable(applyDefaults(endpoint, body));
      const channel = await store.transaction(async (tx) => {
        const targets = await resolveTargets(tx, accountId, subscriptions);
        return changeAlerting(tx, { accountId }, async () => {
          const created = await tx.alertChannels.create(accountId, fields);
          await tx.subscriptions.setOfChannel(accountId, created.id, targets);
          return created;
        });
      });
      return presentStored(channel, header);
    },

    getAlertChannel: channels.get,

    async updateAlertChannel({ accountId, params: { id }, body, header }) {
      const { subscriptions, ...fields } = body;
      const change = async (tx: StoreTransaction) => {
        const changed = await tx.alertChannels.change(accountId, id, (before) => {
          const requested = fields.config
            ? { ...fields, config: restoreConfig(fields.type ?? before.type, fields.config, before) }
            : fields;
          return assertDeliverable(applyChange(createAlertChannel, before, requested, clock.now()));
        });
        const after = requireFound(changed, `alert channel ${id}`);
        if (subscriptions) {
          const targets = await resolveTargets(tx, accountId, subscriptions);
          await tx.subscriptions.setOfChannel(accountId, id, targets);
        }
        return after;
      };
      const channel = await store.transaction((tx) => changeAlerting(tx, { accountId }, () => change(tx)));
      return presentStored(channel, header);
    },

    async updateAlertChannelSubscription({ accountId, params: { id }, body }) {
      return store.transaction(async (tx) => {
        requireFound(await tx.alertChannels.get(accountId, id), `alert channel ${id}`);
        const targets = await resolveTargets(tx, accountId, [body], () => []);
        await changeAlerting(tx, { accountId }, async () => {
          for (const target of targets) await tx.subscriptions.setOne(accountId, id, target);
        });
        return { checkId: body.checkId ?? null, groupId: body.groupId ?? null, activated: body.activated };
      });
    },

    async testAlertChannel({ accountId, params }) {
      const channel = await channels.find(accountId, params.id);
      const messages = renderTestMessages(channel.body, clock.now());
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
      const errors = await Promise.all(
        messages.map(async ({ message, suffix }) => {
          const delivery = await deliver(message, { idempotencyKey: `test-${random.uuid()}`, signal });
          return delivery.ok
            ? []
            : [suffix === '' ? delivery.error : `${suffix.slice(1)}: ${delivery.error}`];
        }),
      );
      const error = errors.flat().join('; ') || null;
      const recipients = new Set(messages.map(({ message }) => formatRecipient(message)));
      return { delivered: error === null, recipient: [...recipients].join(', '), error };
    },

    deleteAlertChannel: (call) =>
      store.transaction((tx) =>
        changeAlerting(tx, { accountId: call.accountId }, async () => {
          const isDeleted = await tx.alertChannels.delete(call.accountId, call.params.id);
          requireFound(isDeleted, `alert channel ${call.params.id}`);
          return undefined;
        }),
      ),
  } satisfies Partial<Handlers>;
}
