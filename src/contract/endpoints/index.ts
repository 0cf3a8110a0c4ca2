/** Lists every endpoint of the service by name. Build time only. */
import * as accountResources from './account-resources.ts';
import * as agents from './agents.ts';
import * as alertChannels from './alert-channels.ts';
import * as checkGroups from './check-groups.ts';
import { checkTypeEndpoints } from './check-types.ts';
import * as checks from './checks.ts';
import * as maintenanceWindows from './maintenance-windows.ts';
import * as projects from './projects.ts';
import * as specification from './specification.ts';
import * as statusPages from './status-pages.ts';

const all = {
  ...accountResources,
  ...agents,
  ...alertChannels,
  ...checkGroups,
  ...checkTypeEndpoints,
  ...checks,
  ...maintenanceWindows,
  ...projects,
  ...specification,
  ...statusPages,
};

export const table = Object.fromEntries(
  Object.entries<unknown>(all).sort(([one], [other]) => (one < other ? -1 : 1)),
) as typeof all;
