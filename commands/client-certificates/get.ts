/** `sonde client-certificates get`. */
import { getCommand } from '../../src/cli/resource-commands/read.ts';
import { clientCertificates } from '../../src/cli/resources/client-certificates.ts';

export const command = getCommand(clientCertificates);
