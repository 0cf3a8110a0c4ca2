/**
 * Stores browser sessions and the single-use links that start them. Both stand for an API key and end with it. Tokens are
 * stored hashed.
 */
import type { StoreContext } from './context.ts';
import { hashOf, makeSecretText } from './secrets.ts';

/** A token is returned only when it is created. */
export interface CreatedSignIn {
  readonly token: string;
  /** Ms since the epoch. */
  readonly expiresAt: number;
}

/** The API key that a token stands for. */
export interface SignedInKey {
  readonly keyId: string;
  readonly accountId: string;
}

/** Maximum number of sessions, and of links, of one key. The oldest one ends first. */
const MAX_PER_KEY = 50;

export function signIns(context: StoreContext) {
  const { clock } = context;

  const create = (
    kind: 'LINK' | 'SESSION',
    keyId: string,
    lifetimeMs: number,
    path: string | null,
  ): Promise<CreatedSignIn> =>
    context.atomically(async ({ db }) => {
      const token = makeSecretText();
      const now = clock.now();
      await db.deleteFrom('sign_ins').where('expires_at', '<=', now).execute();
      const kept = db
        .selectFrom('sign_ins')
        .select('hash')
        .where('key_id', '=', keyId)
        .where('kind', '=', kind)
        .orderBy('created_at', 'desc')
        .orderBy('hash')
        .limit(MAX_PER_KEY - 1);
      await db
        .deleteFrom('sign_ins')
        .where('key_id', '=', keyId)
        .where('kind', '=', kind)
        .where('hash', 'not in', kept)
        .execute();
      const expiresAt = now + lifetimeMs;
      const row = { hash: hashOf(token), key_id: keyId, kind, path, created_at: now, expires_at: expiresAt };
      await db.insertInto('sign_ins').values(row).execute();
      return { token, expiresAt };
    });

  return {
    /** Creates a link that redirects to a local path. @throws StoreConflict (`reference`) if the key was deleted. */
    createLink: (keyId: string, lifetimeMs: number, path: string | null) =>
      create('LINK', keyId, lifetimeMs, path),
    /** Creates a session. @throws StoreConflict (`reference`) if the key was deleted. */
    createSession: (keyId: string, lifetimeMs: number) => create('SESSION', keyId, lifetimeMs, null),
    /** Returns whether a link can be used. */
    isLink: async (token: string): Promise<boolean> =>
      (await context.db
        .selectFrom('sign_ins')
        .select('hash')
        .where('hash', '=', hashOf(token))
        .where('kind', '=', 'LINK')
        .where('expires_at', '>', clock.now())
        .executeTakeFirst()) !== undefined,
    /** Ends a link and returns what it stands for; undefined if it was used, has expired or never existed. */
    async useLink(
      token: string,
    ): Promise<{ readonly keyId: string; readonly path: string | null } | undefined> {
      const row = await context.db
        .deleteFrom('sign_ins')
        .where('hash', '=', hashOf(token))
        .where('kind', '=', 'LINK')
        .returning(['key_id as keyId', 'path', 'expires_at'])
        .executeTakeFirst();
      return row === undefined || row.expires_at <= clock.now() ? undefined : row;
    },
    /** Returns the key of a session; undefined if it ended. */
    findSession: (token: string): Promise<SignedInKey | undefined> =>
      context.db
        .selectFrom('sign_ins')
        .innerJoin('api_keys', 'api_keys.id', 'sign_ins.key_id')
        .select(['api_keys.id as keyId', 'api_keys.account_id as accountId'])
        .where('sign_ins.hash', '=', hashOf(token))
        .where('sign_ins.kind', '=', 'SESSION')
        .where('sign_ins.expires_at', '>', clock.now())
        .executeTakeFirst(),
    async endSession(token: string): Promise<void> {
      await context.db
        .deleteFrom('sign_ins')
        .where('hash', '=', hashOf(token))
        .where('kind', '=', 'SESSION')
        .execute();
    },
  };
}
