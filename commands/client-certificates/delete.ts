/** `sonde client-certificates delete`, and its alias `sonde delete client-certificate`. */
import { deleteCommand } from '../../src/cli/resource-commands/delete.ts';
import { clientCertificates } from '../../src/cli/resources/client-certificates.ts';
import { deleteClientCertificate } from '../../src/contract/index.ts';

export const command = deleteCommand(clientCertificates, deleteClientCertificate, {
  description: 'Checks of hosts that require the certificate fail afterwards.',
});
