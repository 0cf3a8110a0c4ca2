/** Handles alert channels and their subscriptions. */
import { type BodyOf, createAlertChannel, type ResponseOf, type Violation } from '../../../contract/index.ts';
import { renderTestMessage } from '../../notify/alerts/render-message.ts';
import { validateChannel } from '../../notify/alerts/validate-channel.ts';
import { formatRecipient } from '../../notify/outbox/message.ts';
import type { AlertChannelBody, AlertChannelRecord, Subscription } from '../../store/index.ts';
import { maskConfig, restoreConfig } from './alert-subscriptions.ts';
import { applyChange, applyDefaults, listByPage, timestamps } from './document-resource.ts';
import type { HandlerContext, HandlersFor } from './handler-context.ts';
import { invalid, notFound, violation } from './problem.ts';
import type { ReferenceStore } from './references.ts';

type RequestedSubscriptions = NonNullable<BodyOf<typeof createAlertChannel>['subscriptions']>;
type ChannelResponse = ResponseOf<typeof createAlertChannel>;
type Targets = ({ readonly activated: boolean } & ({ checkId: string } | { groupId: number }))[];

/** A caller waits for a test message, so it is neither stored nor retried. */
const TEST_TIMEOUT_MS = 25_000;

function present(channel: AlertChannelRecord, subscriptions: readonly Subscription[]): ChannelResponse {
  const { config, ...fields } = channel.body;
  return {
    id: channel.id,
    ...fields,
    config: maskConfig(config),
    subscriptions: subscriptions.map(({ checkId, groupId, activated }) => ({ checkId, groupId, activated })),
    ...timestamps(channel),
  };
}

/** Returns the checks and groups to subscribe. Throws `Problem` 400 for missing ones, and for neither or both in an entry. */
async function resolveTargets(
  store: ReferenceStore,
  accountId: string,
  requested: RequestedSubscriptions,
): Promise<Targets> {
  const violations: Violation[] = [];
  const targets: Targets = [];
  const seenNames = new Set<string>();
  for (const [index, { checkId, groupId, activated = true }] of requested.entries()) {
    const report = (field: string[], keyword: string, message: string) =>
      violations.push(violation('body', ['subscriptions', index, ...field], keyword, message));
    const [hasCheck, hasGroup] = [typeof checkId === 'string', typeof groupId === 'number'];
    const name = hasCheck ? `check ${checkId}` : `group ${groupId}`;
    if (hasCheck === hasGroup) report([], 'target', 'must contain either checkId or groupId');
    else if (seenNames.has(name)) report([], 'uniqueItems', `must not contain ${name} twice`);
    else if (typeof checkId === 'string') {
      if (!(await store.checks.get(accountId, checkId))) {
        report(['checkId'], 'reference', 'does not match any check of this account');
      }
      targets.push({ checkId, activated });
    } else if (typeof groupId === 'number') {
      if (!(await store.groups.get(accountId, groupId))) {
        report(['groupId'], 'reference', 'does not match any check group of this account');
      }
      targets.push({ groupId, activated });
    }
    seenNames.add(name);
  }
  if (violations.length > 0) throw invalid(violations);
  return targets;
}

/** Returns the body. Throws `Problem` 400 if nothing can be delivered to its destination. */
function assertDeliverable<T extends Pick<AlertChannelBody, 'type' | 'config'>>(body: T): T {
  const violations = validateChannel(body).map(({ path, message }) =>
    violation('body', ['config', ...path], 'alertChannelConfig', message),
  );
  if (violations.length > 0) throw invalid(violations);
  return body;
}

const NOT_CONFIGURED: Readonly<Record<string, string>> = {
  EMAIL: 'This service has no SMTP server configured: e-mails are not sent.',
  SMS: 'This service has no SMS gateway configured: SMS messages are not sent.',
};

export function alertChannelHandlers(context: HandlerContext) {
  const { store, clock, random, stopping, deliver, deliveries } = context;
  /** Warns in a header if the service cannot send what the channel needs. */
  function warnIfNotConfigured(
    header: (name: string, value: string) => void,
    { body: { type } }: AlertChannelRecord,
  ) {
    const warning = NOT_CONFIGURED[type];
    const canSend = type === 'EMAIL' ? deliveries.email : deliveries.sms;
    if (warning !== undefined && !canSend) header('x-warning', warning);
  }
  const presentOne = async (channel: AlertChannelRecord) =>
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
      listByPage(store.alertChannels, call, (channels) => presentAll(call.accountId, channels)),

    async createAlertChannel({ accountId, endpoint, body, header }) {
      const { subscriptions = [], ...fields } = assertDeliverable(applyDefaults(endpoint, body));
      const channel = await store.transaction(async (tx) => {
        const targets = await resolveTargets(tx, accountId, subscriptions);
        const created = await tx.alertChannels.create(accountId, fields);
        await tx.subscriptions.setOfChannel(accountId, created.id, targets);
        return created;
      });
      warnIfNotConfigured(header, channel);
      return presentOne(channel);
    },

    async getAlertChannel({ accountId, params }) {
      const channel = await store.alertChannels.get(accountId, params.id);
      if (!channel) throw notFound(`alert channel ${params.id}`);
      return presentOne(channel);
    },

    async updateAlertChannel({ accountId, params, body, header }) {
      const { subscriptions, ...fields } = body;
      const channel = await store.transaction(async (tx) => {
        const after = await tx.alertChannels.change(accountId, params.id, (before) =>
          assertDeliverable(
            applyChange(
              createAlertChannel,
              before,
              fields.config ? { ...fields, config: restoreConfig(fields.config, before.config) } : fields,
              clock.now(),
            ),
          ),
        );
        if (!after) throw notFound(`alert channel ${params.id}`);
        if (subscriptions) {
          const targets = await resolveTargets(tx, accountId, subscriptions);
          await tx.subscriptions.setOfChannel(accountId, params.id, targets);
        }
        return after;
      });
      warnIfNotConfigured(header, channel);
      return presentOne(channel);
    },

    async testAlertChannel({ accountId, params }) {
      const channel = await store.alertChannels.get(accountId, params.id);
      if (!channel) throw notFound(`alert channel ${params.id}`);
      const message = renderTestMessage(channel.body, clock.now());
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
      const delivery = await deliver(message, { idempotencyKey: `test-${random.uuid()}`, signal });
      return {
        delivered: delivery.ok,
        recipient: formatRecipient(message),
        error: delivery.ok ? null : delivery.error,
      };
    },

    async deleteAlertChannel({ accountId, params }) {
      const isDeleted = await store.alertChannels.delete(accountId, params.id);
      if (!isDeleted) throw notFound(`alert channel ${params.id}`);
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
