/** `sonde status-pages verify-domain`. */
import { verifyDomainCommand } from '../../src/cli/resource-commands/verify-domain.ts';
import { statusPages } from '../../src/cli/resources/status-pages.ts';
import { verifyStatusPageDomain } from '../../src/contract/index.ts';

export const command = verifyDomainCommand(statusPages, verifyStatusPageDomain);
