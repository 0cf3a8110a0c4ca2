/** The door for the owner, who can read the data folder: keys and backups of a service that runs and holds its store alone. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UsageError } from '../../../base/errors.ts';
import { type Administration, createAdministration } from '../../admin/index.ts';
import { ADMIN_SECRET_HEADER } from '../../admin/runtime-file.ts';
import type { Store } from '../../store/index.ts';
import { notFound, Problem } from '../api/problem.ts';
import { isLocal } from './public-routes.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

/** What the owner asks for. */
interface Asked {
  readonly name?: unknown;
  readonly accountId?: unknown;
  readonly id?: unknown;
  readonly file?: unknown;
}

/** What is meant by the owner's words, each with what it answers. */
const DEEDS: Readonly<Record<string, (of: Administration, asked: Asked) => Promise<unknown>>> = {
  listKeys: (of) => of.listKeys(),
  createKey: (of, { name, accountId }) =>
    of.createKey(String(name), typeof accountId === 'string' ? accountId : undefined),
  revokeKey: (of, { id }) => of.revokeKey(String(id)),
  backup: (of, { file }) => of.backup(String(file)).then(() => null),
};

/** Returns whether a request comes from this machine and carries the secret; no secret: none does. */
export function isOwner(secret: string | undefined): (request: FastifyRequest) => boolean {
  return (request) => {
    const given = request.headers[ADMIN_SECRET_HEADER];
    if (secret === undefined || typeof given !== 'string' || !isLocal(request)) return false;
    return timingSafeEqual(digest(given), digest(secret));
  };
}

/** One route for who comes from this machine and knows the secret; to others there is nothing. */
export function localDoor(app: FastifyInstance, store: Store, secret: string): void {
  const administration = createAdministration(store);
  const isOfOwner = isOwner(secret);
  // Before the body is read: others have nothing to say here.
  const onRequest = async (request: FastifyRequest) => {
    if (!isOfOwner(request)) throw notFound('page');
  };
  app.post('/local/:deed', { onRequest }, async (request, reply) => {
    const { deed } = request.params as { deed: string };
    if (!Object.hasOwn(DEEDS, deed)) throw notFound('page');
    try {
      const answer = await DEEDS[deed]?.(administration, (request.body ?? {}) as Asked);
      return await reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new Problem(409, error.message, { attributes: { hint: error.hint } });
    }
  });
}
