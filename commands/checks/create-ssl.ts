/** `sonde checks create-ssl`: creates an SSL check. */
import { createSslCheck } from '../../src/contract/index.ts';
import { createCheckCommand, RUN_FIELDS, RUN_STEPS } from './shared/create-command.ts';

export const command = createCheckCommand({
  type: 'SSL',
  description:
    'The check fails if the certificate is expired, not yet valid, for another name, or not trusted. It is degraded if the ' +
    'certificate expires within --alert-days-before-expiry. The response time is the duration of the TLS handshake.',
  endpoint: createSslCheck,
  groups: {
    'TLS connection': [
      'request.sslConfig.port',
      'request.sslConfig.serverName',
      'request.sslConfig.ipFamily',
      'request.sslConfig.skipChainValidation',
      'request.sslConfig.handshakeTimeoutMs',
      'request.sslConfig.alertDaysBeforeExpiry',
      'request.sslConfig.securityBaseline',
      'request.assertions',
    ],
  },
  scheduleFields: RUN_FIELDS,
  steps: [
    { flag: 'name' },
    { flag: 'hostname', message: 'Host to connect to' },
    { flag: 'port', message: 'Port' },
    ...RUN_STEPS,
    { flag: 'assert', message: 'Assertions on the certificate' },
  ],
  examples: [
    {
      line: 'checks create-ssl --name Shop --hostname shop.example.com --frequency 60 --alert-days-before-expiry 30',
      does: 'Check a certificate every hour, and be warned 30 days before it expires',
    },
    {
      line: "checks create-ssl --name Mail --hostname mail.example.com --port 465 --assert 'CONNECTION(tlsVersion) EQUALS TLS1.3'",
      does: 'Check that a mail server uses TLS 1.3',
    },
  ],
  targetColumns: [
    { key: 'request.sslConfig.hostname', header: 'host' },
    { key: 'request.sslConfig.port', header: 'port', kind: 'number' },
  ],
});
