/** Handles signing in with an API key or a link, and signing out. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isLocalPath } from '../../../../base/local-path.ts';
import { Problem } from '../../api/problem.ts';
import { formFields, isValidForm, renderTokenField } from '../forms.ts';
import type { PagesContext } from '../pages-context.ts';
import { sendPage } from '../send-page.ts';
import { findSignedIn, type SignedIn, sessionAction, signIn } from './session.ts';
import { renderLinkPage, renderSignInPage } from './sign-in-html.ts';

const FORM_ACTION = 'sign-in';

/** The error for a form of an earlier session, or one that is too old. */
export const formExpired = (): Problem =>
  new Problem(400, 'The form has expired. Go back, reload the page and try again');

export type SignedInHandler = (
  request: FastifyRequest,
  reply: FastifyReply,
  signedIn: SignedIn,
) => Promise<FastifyReply>;

export function signInHandlers(context: PagesContext) {
  const { store, clock, secret, authenticate } = context;

  const sendForm = (
    request: FastifyRequest,
    reply: FastifyReply,
    form: { readonly status: number; readonly path: string; readonly problem?: string },
  ) =>
    sendPage(
      request,
      reply,
      renderSignInPage({ ...form, token: renderTokenField(secret, FORM_ACTION, clock.now()) }),
      'none',
    );

  const refuseLink = (request: FastifyRequest, reply: FastifyReply) =>
    sendForm(request, reply, {
      status: 403,
      path: '/',
      problem: 'The link has expired or was already used. For a new one, run: sonde service open',
    });

  /** Returns a handler that sends the sign-in form, which leads back to the page, to people who are not signed in. */
  const signedIn =
    (handler: SignedInHandler, status = 401) =>
    async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
      const found = await findSignedIn(context, request);
      if (found !== undefined) return handler(request, reply, found);
      const isPage = request.method === 'GET' && isLocalPath(request.url);
      return sendForm(request, reply, { status, path: isPage ? request.url : '/' });
    };

  return {
    signedIn,
    /** Renders the token of a form that only this session may send. */
    renderSessionToken: (session: SignedIn, action: string) =>
      renderTokenField(secret, sessionAction(session, action), clock.now()),
    /** Returns a handler of a form that a signed-in person sends. `actionOf` names the form. */
    submitted: (actionOf: (request: FastifyRequest) => string, handler: SignedInHandler) =>
      signedIn(async (request, reply, session) => {
        const action = sessionAction(session, actionOf(request));
        if (!isValidForm(request, secret, action, clock.now())) throw formExpired();
        return handler(request, reply, session);
      }),

    /** Signs in with the API key of the form. The key is not stored. */
    async submitKey(request: FastifyRequest, reply: FastifyReply) {
      const { key = '', path = '' } = formFields(request);
      const to = isLocalPath(path) ? path : '/';
      if (!isValidForm(request, secret, FORM_ACTION, clock.now()))
        return sendForm(request, reply, {
          status: 400,
          path: to,
          problem: 'The form has expired. Try again.',
        });
      const caller = await authenticate(key.trim());
      if (caller === undefined)
        return sendForm(request, reply, { status: 403, path: to, problem: 'The API key is not valid.' });
      return signIn(context, request, reply, { keyId: caller.keyId, path: to });
    },

    /** Renders the button that uses a link. Programs that open links, such as scanners of mails, do not use it up. */
    async linkForm(request: FastifyRequest, reply: FastifyReply) {
      const token = linkToken(request);
      if (!(await store.signIns.isLink(token))) return refuseLink(request, reply);
      const form = renderTokenField(secret, linkAction(token), clock.now());
      return sendPage(request, reply, renderLinkPage(token, form), 'none');
    },
    /** Signs in with a link that the API created, once. */
    async useLink(request: FastifyRequest, reply: FastifyReply) {
      const token = linkToken(request);
      if (!isValidForm(request, secret, linkAction(token), clock.now())) throw formExpired();
      const link = await store.signIns.useLink(token);
      if (link === undefined) return refuseLink(request, reply);
      return signIn(context, request, reply, { keyId: link.keyId, path: link.path ?? '/' });
    },
  };
}

const linkToken = ({ params }: FastifyRequest): string => (params as { readonly token?: string }).token ?? '';
const linkAction = (token: string): string => `${FORM_ACTION} ${token}`;
