/** `sonde dashboards verify-domain`. */
import { verifyDomainCommand } from '../../src/cli/resource-commands/verify-domain.ts';
import { dashboards } from '../../src/cli/resources/dashboards.ts';
import { verifyDashboardDomain } from '../../src/contract/index.ts';

export const command = verifyDomainCommand(dashboards, verifyDashboardDomain);
