/** Shows the key form of private pages, accepts the key, and refuses programs without it. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../../notify/rendering/markup.ts';
import { Problem } from '../../api/problem.ts';
import { formFields, isValidForm, renderKeyField, renderTokenField } from '../forms.ts';
import { type LayoutOptions, type Page, renderLayout } from '../layout.ts';
import type { PagesContext } from '../pages-context.ts';
import { sendPage } from '../send-page.ts';
import { withZone, zoneInAddress } from '../time-zone.ts';
import { canRead, createAccessCookie, isAccessKey, type ProtectedPage, pathOf } from './find-page.ts';

export interface PrivatePageOptions<Requested extends ProtectedPage> {
  /** The kind of page, such as `status page`. */
  readonly noun: string;
  readonly find: (request: FastifyRequest) => Promise<Requested>;
  /** Returns the layout of the form. It reveals only what a visitor of the URL may know. */
  readonly layout: (requested: Requested) => Omit<LayoutOptions, 'main'>;
}

export function privatePages<Requested extends ProtectedPage>(
  context: PagesContext,
  { noun, find, layout }: PrivatePageOptions<Requested>,
) {
  const { secret, clock } = context;
  const action = ({ page }: Requested) => `access ${page.id}`;

  const renderKeyForm = (requested: Requested, status: number, problem?: string): Page =>
    renderLayout(status, {
      ...layout(requested),
      main: html`<form class="card narrow" method="post" action="${requested.base}/access"><div class="stack"><h2>This page is private</h2>${renderKeyField('Access key', problem)}${renderTokenField(secret, action(requested), clock.now())}<button>View the page</button></div></form>`,
    });

  return {
    /** Sends the page that `send` sends, or the key form if the request has no key. */
    async sendReadable(
      request: FastifyRequest,
      reply: FastifyReply,
      send: (requested: Requested) => Promise<FastifyReply>,
    ): Promise<FastifyReply> {
      const requested = await find(request);
      return (await canRead(context, request, requested))
        ? send(requested)
        : sendPage(request, reply, renderKeyForm(requested, 401), 'none');
    },
    /** Returns the page if the request may read it. Throws `Problem` 404, or 401 for programs. */
    async requireReadable(request: FastifyRequest): Promise<Requested> {
      const requested = await find(request);
      if (await canRead(context, request, requested)) return requested;
      throw new Problem(401, `This ${noun} is private: send its access key as Authorization: Bearer <key>`, {
        headers: { 'www-authenticate': `Bearer realm="${noun}"` },
      });
    },
    /** Checks the key of a private page and sets the access cookie. */
    async submitKey(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
      const requested = await find(request);
      const refuse = (status: number, problem: string) =>
        sendPage(request, reply, renderKeyForm(requested, status, problem), 'none');
      if (!isValidForm(request, secret, action(requested), clock.now()))
        return refuse(400, 'The form has expired. Try again.');
      if (!isAccessKey(requested.access, (formFields(request).key ?? '').trim()))
        return refuse(403, 'The access key is not valid.');
      return reply
        .header('set-cookie', createAccessCookie(context, request, requested))
        .header('cache-control', 'no-store')
        .redirect(withZone(pathOf(requested), zoneInAddress(request)), 303);
    },
  };
}
