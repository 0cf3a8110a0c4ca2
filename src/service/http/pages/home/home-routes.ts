/** Handles the pages for people who are signed in. */

import type { FastifyReply, FastifyRequest } from 'fastify';
import { isUnstorable } from '../../../../contract/storable.ts';
import { capabilityLinks } from '../../../engine/sessions/capability.ts';
import { buildPagePath } from '../../../notify/subscribers/messages.ts';
import { hiddenServices, visibleServiceIds } from '../../../store/visible-services.ts';
import { Problem } from '../../api/problem.ts';
import { renderCheckPage } from '../check/check-html.ts';
import { loadCheck } from '../check/load-check.ts';
import type { PagesContext } from '../pages-context.ts';
import { sendPage } from '../send-page.ts';
import { signOut } from '../sign-in/session.ts';
import type { signInHandlers } from '../sign-in/sign-in-routes.ts';
import { startRun } from '../start-run.ts';
import { withZone, zoneInAddress } from '../time-zone.ts';
import { readFilter } from './check-filter.ts';
import { renderHomePage } from './home-html.ts';
import { loadHome } from './load-home.ts';

/** Maximum number of status pages that are searched for an incident. */
const MAX_PAGES = 100;
const RUN = 'run';
const SIGN_OUT = 'sign-out';

const checkNotFound = () => new Problem(404, 'The check does not exist');

export function homeHandlers(
  context: PagesContext,
  { signedIn, submitted, renderSessionToken }: ReturnType<typeof signInHandlers>,
) {
  const { store, clock, secret } = context;
  const links = capabilityLinks(secret, () => '');

  return {
    home: signedIn(async (request, reply, session) => {
      const view = await loadHome(store, session.accountId, readFilter(request), clock.now());
      const page = renderHomePage(view, {
        links,
        signOut: renderSessionToken(session, SIGN_OUT),
        run: renderSessionToken(session, RUN),
      });
      return sendPage(request, reply, page, 'none');
    }, 200),

    check: signedIn(async (request, reply, session) => {
      const { id = '' } = request.params as { readonly id?: string };
      const view = isUnstorable(id) ? undefined : await loadCheck(store, session.accountId, id, clock.now());
      if (view === undefined) throw checkNotFound();
      const page = renderCheckPage(view, {
        links,
        signOut: renderSessionToken(session, SIGN_OUT),
        run: renderSessionToken(session, RUN),
      });
      return sendPage(request, reply, page, 'none');
    }),

    /** Redirects to an incident on the first status page that shows it, or else to the open incidents. */
    incident: signedIn(async (request, reply, { accountId }) => {
      const { id = '' } = request.params as { readonly id?: string };
      const incident = isUnstorable(id) ? undefined : await store.incidents.get(accountId, id);
      if (incident === undefined) throw new Problem(404, 'The incident does not exist');
      const ids = incident.body.services.map((service) => service.id);
      const hidden = hiddenServices(await store.services.byIds(accountId, ids));
      const pages = await store.statusPages.list(accountId, { limit: MAX_PAGES });
      const page = pages.find((each) => visibleServiceIds(each, hidden).some((one) => ids.includes(one)));
      const path = page === undefined ? '/#incidents' : `${buildPagePath(page.body.url)}#incident-${id}`;
      return reply.header('cache-control', 'no-store').redirect(withZone(path, zoneInAddress(request)), 303);
    }),

    signOut: submitted(
      () => SIGN_OUT,
      (request, reply, session) => signOut(context, request, reply, session),
    ),

    /** Starts a check, and redirects to its session. */
    run: submitted(
      () => RUN,
      async (request: FastifyRequest, reply: FastifyReply, { accountId }) => {
        const { id = '' } = request.params as { readonly id?: string };
        const check = isUnstorable(id) ? undefined : await store.checks.get(accountId, id);
        if (check === undefined) throw checkNotFound();
        const path = await startRun(context, accountId, id);
        if (path === undefined) throw new Problem(409, 'The check is deactivated. No run was started');
        return reply
          .header('cache-control', 'no-store')
          .redirect(withZone(path, zoneInAddress(request)), 303);
      },
    ),
  };
}
