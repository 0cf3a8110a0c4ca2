/** Signs browsers in and out. A session stands for an API key and ends with it. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignedInKey } from '../../../store/sign-ins.ts';
import { createCookie, isHttps, readCookie } from '../cookies.ts';
import type { PagesContext } from '../pages-context.ts';

const cookieOf = ({ publicUrl }: PagesContext, request: FastifyRequest) => ({
  name: 'sonde_session',
  isSecure: isHttps(request) || publicUrl()?.startsWith('https:') === true,
});
const SESSION_MS = 7 * 24 * 60 * 60_000;

/** Who is signed in. */
export interface SignedIn extends SignedInKey {
  /** The secret of the session. Forms are bound to it. */
  readonly token: string;
}

/** Returns who sent the request; undefined without a valid session. */
export async function findSignedIn(
  context: PagesContext,
  request: FastifyRequest,
): Promise<SignedIn | undefined> {
  const token = readCookie(request, cookieOf(context, request));
  const key = token ? await context.store.signIns.findSession(token) : undefined;
  return token === undefined || key === undefined ? undefined : { ...key, token };
}

function setCookie(
  context: PagesContext,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: { readonly value: string; readonly maxAgeSeconds: number },
): FastifyReply {
  return reply
    .header('set-cookie', createCookie({ ...cookieOf(context, request), ...cookie }))
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer');
}

/** Starts a session of an API key, and redirects to a local path. */
export async function signIn(
  context: PagesContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { keyId, path }: { readonly keyId: string; readonly path: string },
): Promise<FastifyReply> {
  const { token } = await context.store.signIns.createSession(keyId, SESSION_MS);
  const cookie = { value: token, maxAgeSeconds: SESSION_MS / 1000 };
  return setCookie(context, request, reply, cookie).redirect(path, 303);
}

/** Ends a session, and redirects to the start page. */
export async function signOut(
  context: PagesContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { token }: SignedIn,
): Promise<FastifyReply> {
  await context.store.signIns.endSession(token);
  return setCookie(context, request, reply, { value: '', maxAgeSeconds: 0 }).redirect('/', 303);
}

/** Returns the action of a form that only this session may send. */
export const sessionAction = ({ token }: SignedIn, action: string): string => `${action} ${token}`;
