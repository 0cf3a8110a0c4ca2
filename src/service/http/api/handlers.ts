/** All handlers together: the compiler counts them against the contract. */
import { accountHandlers } from './account.ts';
import { agentHandlers } from './agents.ts';
import { alertChannelHandlers } from './alert-channels.ts';
import { alertNotificationHandlers } from './alert-notifications.ts';
import { artifactHandlers } from './artifacts.ts';
import { checkGroupHandlers } from './check-groups.ts';
import { checkResultHandlers } from './check-results.ts';
import { checkSessionHandlers } from './check-sessions.ts';
import { checkHandlers } from './checks.ts';
import { codeBundleHandlers } from './code-bundles.ts';
import type { HandlerContext } from './context.ts';
import { dashboardHandlers } from './dashboards.ts';
import { errorGroupHandlers } from './error-groups.ts';
import type { Handlers } from './implement.ts';
import { incidentHandlers } from './incidents.ts';
import { maintenanceWindowHandlers } from './maintenance-windows.ts';
import { privateLocationHandlers } from './private-locations.ts';
import { serviceHandlers } from './services.ts';
import { snippetHandlers } from './snippets.ts';
import { staticAddressHandlers } from './static-addresses.ts';
import { statusPageHandlers } from './status-pages.ts';
import { testSessionHandlers } from './test-sessions.ts';
import { triggerHandlers } from './triggers.ts';
import { variableHandlers } from './variables.ts';

export function createHandlers(context: HandlerContext): Handlers {
  return {
    ...accountHandlers(context),
    ...agentHandlers(context),
    ...alertChannelHandlers(context),
    ...alertNotificationHandlers(context),
    ...artifactHandlers(context),
    ...checkGroupHandlers(context),
    ...checkHandlers(context),
    ...checkResultHandlers(context),
    ...checkSessionHandlers(context),
    ...codeBundleHandlers(context),
    ...dashboardHandlers(context),
    ...errorGroupHandlers(context),
    ...incidentHandlers(context),
    ...maintenanceWindowHandlers(context),
    ...privateLocationHandlers(context),
    ...serviceHandlers(context),
    ...snippetHandlers(context),
    ...staticAddressHandlers(context),
    ...statusPageHandlers(context),
    ...testSessionHandlers(context),
    ...triggerHandlers(context),
    ...variableHandlers(context),
  };
}
