/** The routes of a status page itself: HTML, JSON, Atom, and the door of a private one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../../api/problem.ts';
import { html } from '../../markup/markup.ts';
import { accessCookie, isKeyOf, mayRead } from '../access.ts';
import { type Keeping, sendPage, sendText } from '../answer.ts';
import type { PagesContext } from '../context.ts';
import { fieldsOf, isOurForm, keyField, tokenField } from '../forms.ts';
import { shell } from '../shell.ts';
import { statusAtom, statusJson } from '../status-feeds.ts';
import { frameOf, headingOf, poweredBy, statusPage } from '../status-html.ts';
import { statusView } from '../view.ts';
import { type Found, findPage, isSecure } from './found.ts';

const KEY_NEEDED = 'This status page is private: send its access key as Authorization: Bearer <key>';

export function statusHandlers(context: PagesContext) {
  const { store, clock, secret } = context;
  const action = ({ page }: Found) => `access ${page.id}`;
  const keeping = ({ access }: Found): Keeping => (access.isPrivate ? 'own' : 'shared');
  const viewOf = (found: Found) => statusView(store, found.page, found.access, clock.now());

  /** The form that takes the key; it says no more of the page than whoever guessed its address knows. */
  const door = (found: Found, status: number, problem?: string) =>
    shell(status, {
      ...frameOf(found),
      title: `${found.page.body.name} status`,
      heading: headingOf(found, found.base === '' ? '/' : found.base),
      main: html`<form class="card narrow" method="post" action="${found.base}/access"><div class="stack"><h2>This page is private</h2>${keyField('Access key', problem)}${tokenField(secret, action(found), clock.now())}<button>Open the page</button></div></form>`,
      footer: html`${poweredBy(found)}`,
    });

  /** The page where it may be read. Throws `Problem` 404, or 401 for programs. */
  async function readable(request: FastifyRequest): Promise<Found> {
    const found = await findPage(context, request);
    if (mayRead(request, secret, found.page, found.access, clock.now())) return found;
    throw new Problem(401, KEY_NEEDED, { headers: { 'www-authenticate': 'Bearer realm="status page"' } });
  }
  const shareable = (found: Found, reply: FastifyReply) => {
    if (!found.access.isPrivate) reply.header('access-control-allow-origin', '*');
  };

  return {
    /** The page, or the door of a private one. */
    async page(request: FastifyRequest, reply: FastifyReply) {
      const found = await findPage(context, request);
      if (!mayRead(request, secret, found.page, found.access, clock.now()))
        return sendPage(request, reply, door(found, 401), 'none');
      return sendPage(request, reply, statusPage(await viewOf(found), found.base), keeping(found));
    },
    async json(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      shareable(found, reply);
      const text = statusJson(await viewOf(found), found.url);
      return sendText(request, reply, {
        type: 'application/json; charset=utf-8',
        text,
        keeping: keeping(found),
      });
    },
    async atom(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      shareable(found, reply);
      const text = statusAtom(await viewOf(found), found.url, `${found.url}/feed.atom`);
      return sendText(request, reply, {
        type: 'application/atom+xml; charset=utf-8',
        text,
        keeping: keeping(found),
      });
    },
    /** Takes the key of a private page, and lets the browser in. */
    async enter(request: FastifyRequest, reply: FastifyReply) {
      const found = await findPage(context, request);
      const now = clock.now();
      if (!isOurForm(request, secret, action(found), now))
        return sendPage(
          request,
          reply,
          door(found, 400, 'The form was open for too long: try again.'),
          'none',
        );
      if (!isKeyOf(found.access, (fieldsOf(request).key ?? '').trim()))
        return sendPage(request, reply, door(found, 403, 'This is not the key of this page.'), 'none');
      reply.header(
        'set-cookie',
        accessCookie(secret, found.page, found.access, { now, isSecure: isSecure(request) }),
      );
      return reply.header('cache-control', 'no-store').redirect(found.base === '' ? '/' : found.base, 303);
    },
    readable,
  };
}
