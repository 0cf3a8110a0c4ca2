/** Schemas of client certificates, which API and URL checks present to a host (docs/gaps.md). */
import { VALUE_LIMIT } from '../limits.ts';
import { closed, dateTime, nullable, open, optional, secret, string, uuid } from '../schema.ts';

const fields = {
  host: string('Host name without scheme and port, or *. and a domain for all names below it', {
    minLength: 1,
    maxLength: 255,
  }),
  cert: string('Client certificate in PEM format; intermediate certificates may follow it', VALUE_LIMIT),
  ca: optional(
    nullable(string('Certificates in PEM format that may sign the certificate of the host', VALUE_LIMIT)),
  ),
};

export const clientCertificateBody = closed(
  {
    ...fields,
    key: secret('omitted', 'Private key of the certificate in PEM format', { maxLength: 16_384 }),
    passphrase: optional(
      nullable(secret('omitted', 'Passphrase of an encrypted private key', { maxLength: 1024 })),
    ),
  },
  { title: 'ClientCertificateRequest' },
);

export const clientCertificate = open(
  { id: uuid('ID of the client certificate'), ...fields, created_at: dateTime('Creation time') },
  { title: 'ClientCertificate' },
);
