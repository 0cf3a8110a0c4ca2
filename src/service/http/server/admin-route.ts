/** Serves the owner of the data folder: manages keys and backups while the service holds its store exclusively. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UsageError } from '../../../base/errors.ts';
import { type Administration, createAdministration } from '../../admin/administration.ts';
import { ADMIN_SECRET_HEADER } from '../../admin/runtime-file.ts';
import type { Store } from '../../store/index.ts';
import { notFound, Problem } from '../api/problem.ts';
import { isLocalRequest } from './public-routes.ts';

const digest = (text: string) => createHash('sha256').update(text).digest();

interface ActionInput {
  readonly name?: unknown;
  readonly accountId?: unknown;
  readonly id?: unknown;
  readonly file?: unknown;
}

/** The actions by their name in the path. Each returns the response body. */
const ACTIONS: Readonly<Record<string, (of: Administration, input: ActionInput) => Promise<unknown>>> = {
  listKeys: (of) => of.listKeys(),
  createKey: (of, { name, accountId }) =>
    of.createKey(String(name), typeof accountId === 'string' ? accountId : undefined),
  revokeKey: (of, { id }) => of.revokeKey(String(id)),
  backup: (of, { file, name }) => of.backup(String(file), String(name ?? file)).then(() => null),
};

/** Returns a check whether a request comes from this machine and carries the secret. Without a secret no request passes. */
export function createOwnerCheck(secret: string | undefined): (request: FastifyRequest) => boolean {
  return (request) => {
    const sent = request.headers[ADMIN_SECRET_HEADER];
    if (secret === undefined || typeof sent !== 'string' || !isLocalRequest(request)) return false;
    return timingSafeEqual(digest(sent), digest(secret));
  };
}

/** Registers the route of the owner. Any other request gets a 404. */
export function registerAdminRoute(app: FastifyInstance, store: Store, secret: string): void {
  const administration = createAdministration(store);
  const isOwner = createOwnerCheck(secret);
  // Checked before the body is read, so that strangers cannot upload anything.
  const onRequest = async (request: FastifyRequest) => {
    if (!isOwner(request)) throw notFound('page');
  };
  app.post('/local/:deed', { onRequest }, async (request, reply) => {
    const { deed: action } = request.params as { deed: string };
    if (!Object.hasOwn(ACTIONS, action)) throw notFound('page');
    try {
      const answer = await ACTIONS[action]?.(administration, (request.body ?? {}) as ActionInput);
      return await reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      throw new Problem(409, error.message, { attributes: { hint: error.hint } });
    }
  });
}
