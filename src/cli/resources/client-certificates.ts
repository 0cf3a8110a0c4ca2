/** Describes client certificates for their commands. */
import { X509Certificate } from 'node:crypto';
import { getClientCertificate, type ResponseOf } from '../../contract/index.ts';
import type { Column } from '../../terminal/index.ts';
import type { Resource } from './resource.ts';

type ClientCertificate = ResponseOf<typeof getClientCertificate>;

/** Returns the end of the validity of a certificate in PEM format; null if it cannot be read. */
function expiryOf(cert: string): string | null {
  try {
    return new Date(new X509Certificate(cert).validTo).toISOString();
  } catch {
    return null;
  }
}

const expiry: Column<ClientCertificate> = {
  key: 'expires',
  value: ({ cert }) => expiryOf(cert),
  kind: 'time',
  priority: 80,
};

export const clientCertificates = {
  commandGroup: 'client-certificates',
  noun: 'client certificate',
  plural: 'client certificates',
  catalogKey: 'client-certificate',
  param: 'id',
  get: getClientCertificate,
  sampleId: '2f6d8b1a-4c3e-4f5a-9b7d-8e0a1b2c3d4f',
  columns: [
    { key: 'id', kind: 'id', isShort: true },
    { key: 'host', priority: 90, minWidth: 16 },
    expiry,
    { key: 'created_at', header: 'created', kind: 'time' },
  ],
  fields: [
    { key: 'id', kind: 'id' },
    { key: 'host' },
    expiry,
    { key: 'created_at', header: 'created', kind: 'time' },
  ],
  idOf: ({ id }) => id,
  nameOf: ({ host }) => host,
} satisfies Resource<ClientCertificate>;
