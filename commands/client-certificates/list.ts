/** `sonde client-certificates list`. */
import { listCommand } from '../../src/cli/resource-commands/read.ts';
import { clientCertificates } from '../../src/cli/resources/client-certificates.ts';
import { listClientCertificates } from '../../src/contract/index.ts';

export const command = listCommand(clientCertificates, listClientCertificates, {
  examples: [{ line: 'client-certificates list', does: 'List the certificates and when they expire' }],
});
