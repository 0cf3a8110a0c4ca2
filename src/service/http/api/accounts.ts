/** Handles accounts, their members and entitlements. Every feature of this service is enabled: it has no plans. */
import { CHECK_TYPE_NAMES, type CheckType } from '../../../contract/check-type-facts.ts';
import { LOCATIONS } from '../../../contract/enumerations.ts';
import { CHECK_TYPES } from '../../../contract/generated/check-types.js';
import type {
  getAccount,
  getEntitlements,
  listMembers,
  QueryOf,
  ResponseOf,
} from '../../../contract/index.ts';
import { cityOf } from '../../../contract/location-names.ts';
import { BUILT_IN_RUNTIME } from '../../../runners/browser/runtimes.ts';
import { type Account, UnknownCursor } from '../../store/index.ts';
import { toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { notFound, requireFound } from './problem.ts';

const PLAN = { plan: 'self-hosted', planDisplayName: 'Self-hosted', addons: {} } as const;

const present = ({ id, name, alertSettings }: Account): ResponseOf<typeof getAccount> => ({
  id,
  name,
  runtimeId: BUILT_IN_RUNTIME,
  ...PLAN,
  ...(alertSettings === undefined ? {} : { alertSettings }),
  features: [],
});

type Members = ResponseOf<typeof listMembers>;
type Member = Members['members'][number];

/** The service knows no address of the person who runs it. No mail reaches this domain (RFC 2606). */
const OWNER_EMAIL = 'owner@sonde.invalid';

const presentOwner = ({ id, name, createdAt }: Account): Member => ({
  type: 'member',
  accountId: id,
  userId: id,
  name,
  email: OWNER_EMAIL,
  role: 'OWNER',
  status: 'ACTIVE',
  createdAt: toIso(createdAt),
  updatedAt: toIso(createdAt),
  isSupportMembership: false,
  ssoEnabled: false,
  mfaEnabled: false,
});

/** Lists the owner of an account, its only member. @throws UnknownCursor for any cursor: there is only one page. */
function selectMembers(account: Account, query: QueryOf<typeof listMembers>): Members {
  const { search = '', type, role, status, nextId } = query;
  if (nextId !== undefined) throw new UnknownCursor('a list of one member has no second page');
  const owner = presentOwner(account);
  const wanted = search.toLowerCase();
  const isSelected =
    [owner.name ?? '', owner.email].some((text) => text.toLowerCase().includes(wanted)) &&
    [type ?? owner.type, role ?? owner.role, status ?? owner.status].join() ===
      [owner.type, owner.role, owner.status].join();
  const members = isSelected ? [owner] : [];
  return { members, length: members.length, nextId: null };
}

interface Feature {
  readonly key: string;
  readonly name: string;
  readonly description: string;
  /** Absent: always enabled. */
  readonly isEnabled?: (context: HandlerContext) => boolean;
}

/** Features besides the check types. Those without `isEnabled` need no configuration. */
const FEATURES: readonly Feature[] = [
  { key: 'PRIVATE_LOCATIONS', name: 'Private locations', description: 'Run checks in your own networks' },
  { key: 'STATUS_PAGES', name: 'Status pages', description: 'Publish the state of services' },
  { key: 'DASHBOARDS', name: 'Dashboards', description: 'Store dashboards' },
  { key: 'MAINTENANCE_WINDOWS', name: 'Maintenance windows', description: 'Pause checks for planned work' },
  { key: 'TEST_SESSIONS', name: 'Test sessions', description: 'Run checks once, without alerting' },
  {
    key: 'EMAIL_ALERTS',
    name: 'E-mail alerts',
    description: 'Send alerts by e-mail; needs a mail server',
    isEnabled: ({ deliveries }) => deliveries.email,
  },
  {
    key: 'SMS_ALERTS',
    name: 'SMS alerts',
    description: 'Send alerts by SMS; needs an SMS gateway',
    isEnabled: ({ deliveries }) => deliveries.sms,
  },
  { key: 'WEBHOOK_ALERTS', name: 'Webhook alerts', description: 'Send alerts to webhooks' },
  {
    key: 'ROOT_CAUSE_ANALYSIS',
    name: 'Root cause analysis',
    description: 'Explain failures with a model; this service does not offer it',
    isEnabled: () => false,
  },
];

const checkTypeFeature = (type: CheckType): Feature => ({
  key: `${type}_CHECKS`,
  name: `${CHECK_TYPES[type].title} checks`,
  description: `Run ${CHECK_TYPES[type].label} checks`,
  isEnabled: ({ whyNoAgenticChecks }) => type !== 'AGENTIC' || whyNoAgenticChecks === undefined,
});

function entitlementsOf(context: HandlerContext): ResponseOf<typeof getEntitlements> {
  const simulated = new Set(context.locations);
  return {
    ...PLAN,
    locations: {
      all: LOCATIONS.map((id) => ({ id, name: cityOf(id) ?? id, available: simulated.has(id) })),
    },
    entitlements: [...CHECK_TYPE_NAMES.map(checkTypeFeature), ...FEATURES].map(
      ({ isEnabled, ...feature }) => ({
        ...feature,
        type: 'flag',
        enabled: isEnabled?.(context) ?? true,
      }),
    ),
  };
}

export function accountReadHandlers(context: HandlerContext) {
  const { store } = context;
  const find = async (accountId: string) =>
    requireFound(await store.accounts.get(accountId), `account ${accountId}`);
  const own = async (accountId: string) => present(await find(accountId));
  /** Throws `Problem` 404 for any account but that of the key. */
  function assertOwn(accountId: string, id: string): void {
    if (id.toLowerCase() !== accountId.toLowerCase()) throw notFound(`account ${id}`);
  }

  return {
    listAccounts: async ({ accountId }) => [await own(accountId)],
    getCurrentAccount: ({ accountId }) => own(accountId),
    async getAccount({ accountId, params }) {
      assertOwn(accountId, params.accountId);
      return own(accountId);
    },
    getCurrentEntitlements: async () => entitlementsOf(context),
    async getEntitlements({ accountId, params }) {
      assertOwn(accountId, params.accountId);
      return entitlementsOf(context);
    },
    listCurrentMembers: async ({ accountId, query }) => selectMembers(await find(accountId), query),
    async listMembers({ accountId, params, query }) {
      assertOwn(accountId, params.accountId);
      return selectMembers(await find(accountId), query);
    },
    async getCurrentUser({ accountId, keyId }) {
      const keys = await store.keys.list(accountId);
      const { id, name } = requireFound(
        keys.find((key) => key.id === keyId),
        'the API key',
      );
      return { id, name };
    },
  } satisfies Partial<Handlers>;
}
