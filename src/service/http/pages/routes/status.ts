/** The routes of a status page itself: HTML, JSON, Atom, and the door of a private one. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { shortCache } from '../../../../base/short-cache.ts';
import { html } from '../../../notify/rendering/markup.ts';
import type { TableName } from '../../../store/index.ts';
import { Problem } from '../../api/problem.ts';
import { accessCookie, isKeyOf, mayRead } from '../access.ts';
import { type Keeping, type Rendering, renderPage, renderText, sendPage, sendRendering } from '../answer.ts';
import type { PagesContext } from '../context.ts';
import { fieldsOf, isOurForm, keyField, tokenField } from '../forms.ts';
import { shell } from '../shell.ts';
import { statusAtom, statusJson } from '../status-feeds.ts';
import { frameOf, headingOf, poweredBy, statusPage } from '../status-html.ts';
import { type StatusView, statusView } from '../view.ts';
import { type Found, findPage } from './found.ts';

/** How old what a page says may be, in ms, where other processes write to the store. */
const FRESH_MS = 2000;
/** What a page is read from. */
const SHOWN: readonly TableName[] = [
  ...(['status_pages', 'status_page_access', 'status_page_services', 'incidents'] as const),
  ...(['maintenance_windows', 'maintenance_states', 'maintenance_versions', 'maintenance_past'] as const),
];

const KEY_NEEDED = 'This status page is private: send its access key as Authorization: Bearer <key>';

export function statusHandlers(context: PagesContext) {
  const { store, clock, secret } = context;
  const action = ({ page }: Found) => `access ${page.id}`;
  const keeping = ({ access }: Found): Keeping => (access.isPrivate ? 'own' : 'shared');
  const views = shortCache<StatusView>({ ttlMs: FRESH_MS, most: 100, clock });
  const renderings = shortCache<Rendering>({ ttlMs: FRESH_MS, most: 200, clock });
  /** A rendering of a page, made once for all who ask. Whether the reader may have it was judged before. */
  function rendered({ page, access }: Found, as: string, render: (view: StatusView) => Rendering) {
    const version = `${store.changes?.sum(SHOWN)} ${page.updatedAt} ${JSON.stringify(access)}`;
    const viewed = () => views(page.id, version, () => statusView(store, page, access, clock.now()));
    return renderings(`${page.id} ${as}`, version, async () => render(await viewed()));
  }

  /** The form that takes the key; it says no more of the page than whoever guessed its address knows. */
  const door = (found: Found, status: number, problem?: string) =>
    shell(status, {
      ...frameOf(found),
      title: `${found.page.body.name} status`,
      heading: headingOf(found, found.base === '' ? '/' : found.base),
      main: html`<form class="card narrow" method="post" action="${found.base}/access"><div class="stack"><h2>This page is private</h2>${keyField('Access key', problem)}${tokenField(secret, action(found), clock.now())}<button>View the page</button></div></form>`,
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
      const { base } = found;
      const page = await rendered(found, `page ${base}`, (view) => renderPage(statusPage(view, base)));
      return sendRendering(request, reply, page, keeping(found));
    },
    async json(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      shareable(found, reply);
      const { url } = found;
      const json = await rendered(found, `json ${url}`, (view) =>
        renderText('application/json; charset=utf-8', statusJson(view, url)),
      );
      return sendRendering(request, reply, json, keeping(found));
    },
    async atom(request: FastifyRequest, reply: FastifyReply) {
      const found = await readable(request);
      shareable(found, reply);
      const { url } = found;
      const feed = await rendered(found, `atom ${url}`, (view) =>
        renderText('application/atom+xml; charset=utf-8', statusAtom(view, url, `${url}/feed.atom`)),
      );
      return sendRendering(request, reply, feed, keeping(found));
    },
    /** Takes the key of a private page, and lets the browser in. */
    async enter(request: FastifyRequest, reply: FastifyReply) {
      const found = await findPage(context, request);
      const now = clock.now();
      if (!isOurForm(request, secret, action(found), now))
        return sendPage(request, reply, door(found, 400, 'The form has expired. Try again.'), 'none');
      if (!isKeyOf(found.access, (fieldsOf(request).key ?? '').trim()))
        return sendPage(request, reply, door(found, 403, 'The access key is not valid.'), 'none');
      reply.header(
        'set-cookie',
        accessCookie(secret, found.page, found.access, {
          now,
          isSecure: request.protocol === 'https' || found.url.startsWith('https:'),
        }),
      );
      return reply.header('cache-control', 'no-store').redirect(found.base === '' ? '/' : found.base, 303);
    },
    readable,
  };
}
