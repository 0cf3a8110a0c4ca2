/**
 * Stores status pages, who may read them, whether they hide the name of this software, and incidents. Keys are stored hashed.
 */

import type { StoreContext } from './context.ts';
import {
  collection,
  type IncidentBody,
  type IncidentRecord,
  resourceFrom,
  type StatusPageBody,
} from './documents.ts';
import { findInAnyAccount } from './find-in-any-account.ts';
import { type IncidentCourse, incidentUpdateTime, recordCourse } from './incident-course.ts';
import { hashOf, makeSecretText } from './secrets.ts';
import { assertFreeSlug } from './slugs.ts';
import { releaseDomain, verifiedDomains } from './verified-domains.ts';

export function statusPages(context: StoreContext) {
  const release = releaseDomain('status_pages');
  const pages = collection<string, StatusPageBody>(context, {
    table: 'status_pages',
    ids: 'uuid',
    uniqueKey: ({ url }) => url,
    onWrite: async (tx, written, kind) => {
      if (kind !== 'delete') await assertFreeSlug(tx, 'status_pages', written, written.body.url);
      await release(tx, written, kind);
    },
  });
  const findBy = (column: 'id' | 'unique_key' | 'verified_domain', value: string) =>
    findInAnyAccount<StatusPageBody>(context, 'status_pages', column, value);
  return {
    ...pages,
    /** Returns the page with an ID, in any account. */
    anyById: (id: string) => findBy('id', id),
    /** Returns the page with a slug, in any account. */
    bySlug: (slug: string) => findBy('unique_key', slug),
    ...verifiedDomains(context, 'status_pages'),
    /** Returns the page that is served at a domain (lower case, without a port), in any account. */
    byDomain: (domain: string) => findBy('verified_domain', domain),
  };
}

export interface PageAccess {
  readonly isPrivate: boolean;
  readonly whiteLabel: boolean;
  /** Null without a key: then nobody can open the page while it is private. */
  readonly keyHash: string | null;
}

const PUBLIC: PageAccess = { isPrivate: false, whiteLabel: false, keyHash: null };

const KEY_PREFIX = 'pk_';

async function readAccess({ db }: StoreContext, pageIds: readonly string[]) {
  const query = db.selectFrom('status_page_access').selectAll();
  const rows = pageIds.length === 0 ? [] : await query.where('page_id', 'in', pageIds).execute();
  const accesses = new Map<string, PageAccess>();
  for (const { page_id, is_private, white_label, key_hash } of rows)
    accesses.set(page_id, { isPrivate: is_private === 1, whiteLabel: white_label === 1, keyHash: key_hash });
  return (pageId: string): PageAccess => accesses.get(pageId) ?? PUBLIC;
}

export function pageAccess(context: StoreContext) {
  return {
    /** Returns a function that returns the access of a page. Pages without settings are public. */
    byPages: (pageIds: readonly string[]) => readAccess(context, pageIds),
    of: async (pageId: string): Promise<PageAccess> => (await readAccess(context, [pageId]))(pageId),
    /**
     * Changes the given settings. A page that becomes private or requests a new key gets one, which replaces the previous
     * key. The key is returned only here.
     */
    set: (
      pageId: string,
      change: { [Name in 'isPrivate' | 'whiteLabel' | 'newKey']?: boolean | undefined },
    ): Promise<PageAccess & { readonly key?: string }> =>
      context.atomically(async (tx) => {
        const before = (await readAccess(tx, [pageId]))(pageId);
        const isPrivate = change.isPrivate ?? before.isPrivate;
        const whiteLabel = change.whiteLabel ?? before.whiteLabel;
        const needsKey = change.newKey === true || (isPrivate && before.keyHash === null);
        const key = needsKey ? KEY_PREFIX + makeSecretText() : undefined;
        const keyHash = key === undefined ? before.keyHash : hashOf(key);
        const row = { is_private: Number(isPrivate), white_label: Number(whiteLabel), key_hash: keyHash };
        await tx.db
          .insertInto('status_page_access')
          .values({ page_id: pageId, ...row })
          .onConflict((conflict) => conflict.column('page_id').doUpdateSet(row))
          .execute();
        return { isPrivate, whiteLabel, keyHash, ...(key === undefined ? {} : { key }) };
      }),
  };
}

/**
 * Returns the time columns of an incident in ms since the epoch: of its first update, and of the update that resolved it
 * (null if open). Later updates of a resolved incident do not change its end. Updates are sorted newest first.
 */
export function incidentTimes({
  incidentUpdates: updates,
  deletedUpdates = [],
}: {
  readonly incidentUpdates: readonly ({ readonly status: string } & Parameters<
    typeof incidentUpdateTime
  >[0])[];
  readonly deletedUpdates?: readonly { readonly at: number }[];
}) {
  const first = updates.at(-1);
  const firstOpen = updates.findIndex(({ status }) => status !== 'RESOLVED');
  const resolvedBy = updates[(firstOpen < 0 ? updates.length : firstOpen) - 1];
  return {
    opened_at: first === undefined ? null : incidentUpdateTime(first),
    resolved_at:
      resolvedBy === undefined
        ? null
        : Math.max(incidentUpdateTime(resolvedBy), ...deletedUpdates.map(({ at }) => at)),
  };
}

/** Adds what a write changed to the course of an incident. */
async function writeCourse({ db, clock }: StoreContext, { id, body }: IncidentRecord): Promise<void> {
  const query = db.selectFrom('incidents').select('course').where('id', '=', id);
  const before = parseCourse((await query.executeTakeFirstOrThrow()).course);
  const course = recordCourse(before, body, clock.now());
  if (course === before) return;
  const change = { course: JSON.stringify(course) };
  await db.updateTable('incidents').set(change).where('id', '=', id).execute();
}

const parseCourse = (text: string | null): IncidentCourse => JSON.parse(text ?? '[]');

/** An incident with its course. */
export type IncidentHistory = IncidentRecord & { readonly course: IncidentCourse };

export function incidents(context: StoreContext) {
  const { db } = context;
  const documents = collection<string, IncidentBody>(context, {
    table: 'incidents',
    ids: 'uuid',
    columns: incidentTimes,
    onWrite: async (tx, incident, kind) => {
      if (kind !== 'delete') await writeCourse(tx, incident);
    },
  });
  const owned = (accountId: string) =>
    db.selectFrom('incidents').selectAll().where('account_id', '=', accountId);
  return {
    ...documents,
    /** Returns the incidents that were open at any time since an instant (ms), latest first. */
    async since(accountId: string, from: number): Promise<IncidentHistory[]> {
      const open = owned(accountId).where('resolved_at', 'is', null);
      const ended = owned(accountId).where('resolved_at', '>=', from);
      const rows = [...(await open.execute()), ...(await ended.execute())];
      return rows
        .sort((one, other) => (other.opened_at ?? 0) - (one.opened_at ?? 0) || (one.id < other.id ? 1 : -1))
        .map((row) => ({
          ...resourceFrom<string, IncidentBody>(row),
          course: parseCourse(row.course),
        }));
    },
    /** Claims the check's single open incident; false if it is claimed. Concurrent claims wait for the transaction. */
    async claimFor(accountId: string, checkId: string): Promise<boolean> {
      const row = await db
        .insertInto('automatic_incidents')
        .values({ check_id: checkId, account_id: accountId, incident_id: null })
        .onConflict((conflict) => conflict.column('check_id').doNothing())
        .returning('check_id')
        .executeTakeFirst();
      return row !== undefined;
    },
    /** Returns the incident that a check opened, which its recovery resolves. */
    async openedBy(accountId: string, checkId: string): Promise<string | undefined> {
      const query = db.selectFrom('automatic_incidents').select('incident_id');
      const row = await query
        .where('account_id', '=', accountId)
        .where('check_id', '=', checkId)
        .executeTakeFirst();
      return row?.incident_id ?? undefined;
    },
    async setOpenedBy(accountId: string, checkId: string, incidentId: string): Promise<void> {
      const query = db.updateTable('automatic_incidents').set({ incident_id: incidentId });
      await query.where('account_id', '=', accountId).where('check_id', '=', checkId).execute();
    },
    /** Releases the check's claim, and returns its incident. */
    async release(accountId: string, checkId: string): Promise<string | undefined> {
      const query = db.deleteFrom('automatic_incidents').where('account_id', '=', accountId);
      const row = await query.where('check_id', '=', checkId).returning('incident_id').executeTakeFirst();
      return row?.incident_id ?? undefined;
    },
  };
}
