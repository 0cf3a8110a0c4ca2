/** Creates all handlers. The compiler checks that every endpoint of the contract has one. */

import type { ProjectEndpoint } from '../projects/write-resource.ts';
import { accountHandlers } from './account.ts';
import { agentHandlers } from './agents.ts';
import { alertChannelHandlers } from './alert-channels.ts';
import { artifactHandlers } from './artifacts.ts';
import { checkGroupHandlers } from './check-groups.ts';
import { checkResultHandlers } from './check-results.ts';
import { checkSessionHandlers } from './check-sessions.ts';
import { checkHandlers } from './checks.ts';
import { codeBundleHandlers } from './code-bundles.ts';
import { documentHandlers } from './document-handlers.ts';
import { errorGroupHandlers } from './error-groups.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { incidentHandlers } from './incidents.ts';
import { maintenanceWindowHandlers } from './maintenance-windows.ts';
import { privateLocationHandlers } from './private-locations.ts';
import { projectHandlers } from './projects.ts';
import { staticAddressHandlers } from './static-addresses.ts';
import { statusPageHandlers } from './status-pages.ts';
import { testSessionHandlers } from './test-sessions.ts';
import { triggerHandlers } from './triggers.ts';

/** Creates the handlers of all resources except projects, which call them. */
function createResourceHandlers(context: HandlerContext): Omit<Handlers, ProjectEndpoint> {
  return {
    ...accountHandlers(context),
    ...agentHandlers(context),
    ...alertChannelHandlers(context),
    ...artifactHandlers(context),
    ...checkGroupHandlers(context),
    ...checkHandlers(context),
    ...checkResultHandlers(context),
    ...checkSessionHandlers(context),
    ...codeBundleHandlers(context),
    ...documentHandlers(context),
    ...errorGroupHandlers(context),
    ...incidentHandlers(context),
    ...maintenanceWindowHandlers(context),
    ...privateLocationHandlers(context),
    ...staticAddressHandlers(context),
    ...statusPageHandlers(context),
    ...testSessionHandlers(context),
    ...triggerHandlers(context),
  };
}

export const createHandlers = (context: HandlerContext): Handlers => ({
  ...createResourceHandlers(context),
  ...projectHandlers(context, createResourceHandlers),
});
