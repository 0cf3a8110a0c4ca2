/** Handles badges of checks and groups. Their link is a capability, so that a README can show them without an API key. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { formatLongDuration } from '../../../../base/format-duration.ts';
import { createShortCache } from '../../../../base/short-cache.ts';
import { isUnstorable } from '../../../../contract/storable.ts';
import { type CheckStatistics, readCheckStatistics } from '../../../engine/results/check-statistics.ts';
import { type BadgeSubject, isCapability } from '../../../engine/sessions/capability.ts';
import { engineStore } from '../../../store/engine/index.ts';
import type { CheckOverview } from '../../../store/index.ts';
import { authenticateRequest } from '../../api/authentication.ts';
import { Problem } from '../../api/problem.ts';
import { formatPercentage } from '../format.ts';
import type { PagesContext } from '../pages-context.ts';
import { readQuery } from '../read-query.ts';
import { type Rendering, renderText, sendRendering } from '../send-page.ts';
import { BADGE_STYLES, BADGE_THEMES, type Badge, type BadgeTone, renderBadge } from './badge-svg.ts';

/** Maximum age of a badge, in ms: many readers of a README cost as much as one. */
const CACHE_TTL_MS = 10_000;

const PERIODS = ['24h', '7d', '30d', '90d'] as const;
/** Shares of good results below which an uptime is degraded, and bad. */
const [GOOD_UPTIME, BAD_UPTIME] = [0.999, 0.95];

interface Found {
  readonly name: string;
  readonly checks: readonly CheckOverview[];
}

interface BadgeView extends Found {
  readonly statistics: readonly CheckStatistics[];
}

function statusBadge({ name, checks }: Found): Badge {
  const active = checks.filter(({ isActive }) => isActive);
  const has = (status: CheckOverview['status']) => active.some((check) => check.status === status);
  if (checks.length > 0 && active.length === 0) return { label: name, value: 'paused', tone: 'none' };
  if (has('failing')) return { label: name, value: 'failing', tone: 'bad' };
  if (has('degraded')) return { label: name, value: 'degraded', tone: 'degraded' };
  return has('passing')
    ? { label: name, value: 'passing', tone: 'good' }
    : { label: name, value: 'no data', tone: 'none' };
}

/** Returns the mean of the values that exist. */
function meanOf(values: readonly (number | null | undefined)[]): number | undefined {
  const known = values.filter((value): value is number => typeof value === 'number');
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function uptimeBadge({ statistics }: BadgeView, period: (typeof PERIODS)[number]): Badge {
  const share = meanOf(statistics.map(({ availability }) => availability[period]));
  const label = `uptime ${period}`;
  if (share === undefined) return { label, value: 'no data', tone: 'none' };
  const tone: BadgeTone = share >= GOOD_UPTIME ? 'good' : share < BAD_UPTIME ? 'bad' : 'degraded';
  return { label, value: formatPercentage(share), tone };
}

function responseTimeBadge({ statistics }: BadgeView): Badge {
  const p95 = meanOf(statistics.map(({ times }) => times?.p95));
  const label = 'response time p95';
  return p95 === undefined
    ? { label, value: 'no data', tone: 'none' }
    : { label, value: formatLongDuration(p95), tone: 'good' };
}

const choose = <T extends string>(values: readonly T[], given: string | null, standard: T): T =>
  values.find((value) => value === given) ?? standard;

/** The error for a wrong link. It does not reveal whether the check exists. */
const badgeNotFound = () =>
  new Problem(404, 'The link of the badge is not valid, or its check or group was deleted');

export function badgeHandlers({ store, clock, secret, authenticate }: PagesContext) {
  const badges = createShortCache<Rendering>({ ttlMs: CACHE_TTL_MS, maxEntries: 1000, clock });

  /** Returns the check, or the checks of the group. Throws `Problem` 404. */
  async function find(subject: BadgeSubject, id: string, accountId: string | undefined): Promise<Found> {
    const found = isUnstorable(id) ? undefined : await store.checkOverview.subject(subject, id, accountId);
    if (found === undefined) throw badgeNotFound();
    return found;
  }

  async function create(
    subject: BadgeSubject,
    id: string,
    kind: string,
    query: URLSearchParams,
    accountId?: string,
  ) {
    const found = await find(subject, id, accountId);
    const ids = found.checks.map((check) => check.id);
    const byId = await readCheckStatistics(engineStore(store), ids, clock.now());
    const view = { ...found, statistics: [...byId.values()] };
    const isTimed = kind === 'response-time' || query.get('responseTime') === 'true';
    const badge =
      kind === 'uptime'
        ? uptimeBadge(view, choose(PERIODS, query.get('period'), '30d'))
        : isTimed
          ? responseTimeBadge(view)
          : statusBadge(view);
    const svg = await renderBadge(badge, {
      style: choose(BADGE_STYLES, query.get('style'), 'flat'),
      theme: choose(BADGE_THEMES, query.get('theme'), 'default'),
    });
    // An image needs nothing else, also if it is opened as a page.
    const headers = { 'content-security-policy': "default-src 'none'", 'access-control-allow-origin': '*' };
    return renderText('image/svg+xml; charset=utf-8', svg, headers);
  }

  async function send(
    request: FastifyRequest,
    reply: FastifyReply,
    [subject, id, kind]: readonly [BadgeSubject, string, string],
    accountId?: string,
  ): Promise<FastifyReply> {
    const query = readQuery(request);
    const key = JSON.stringify([
      ...[subject, id, kind, accountId],
      ...['style', 'theme', 'period', 'responseTime'].map((name) => query.get(name)?.slice(0, 20)),
    ]);
    const badge = await badges(key, '', () => create(subject, id, kind, query, accountId));
    return sendRendering(request, reply, badge, accountId === undefined ? 'image' : 'own');
  }

  return {
    /** Sends a badge to everyone who has its link. */
    linked: (subject: BadgeSubject) => (request: FastifyRequest, reply: FastifyReply) => {
      const { id = '', key = '', kind = '' } = request.params as Readonly<Record<string, string>>;
      if (!isCapability(secret, `${subject}-badge`, id, key)) throw badgeNotFound();
      return send(request, reply, [subject, id, kind]);
    },
    /** Sends the published badge to holders of an API key, or of the key of the link as `key`; if it is public, to everyone. */
    published: (subject: BadgeSubject) => async (request: FastifyRequest, reply: FastifyReply) => {
      const { id = '' } = request.params as Readonly<Record<string, string>>;
      const key = readQuery(request).get('key');
      if (key !== null && isCapability(secret, `${subject}-badge`, id, key))
        return send(request, reply, [subject, id, 'status']);
      const isAnonymous = key === null && request.headers.authorization === undefined;
      if (isAnonymous && !isUnstorable(id) && (await store.checkOverview.hasPublicBadge(subject, id)))
        return send(request, reply, [subject, id, 'status']);
      const { accountId } = await authenticateRequest(request, authenticate);
      return send(request, reply, [subject, id, 'status'], accountId);
    },
  };
}
