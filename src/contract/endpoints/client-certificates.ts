/** Endpoints of client certificates. */
import * as resources from '../resources/client-certificate.ts';
import { Type, uuid } from '../schema.ts';
import { define } from './define.ts';

const certificates = { resource: 'client certificates' } as const;
const certificateId = { id: uuid('ID of the client certificate') };
export const listClientCertificates = define({
  ...certificates,
  name: 'listClientCertificates',
  method: 'GET',
  path: '/v1/client-certificates',
  summary: 'List client certificates, newest first',
  response: Type.Array(resources.clientCertificate),
});
export const createClientCertificate = define({
  ...certificates,
  name: 'createClientCertificate',
  method: 'POST',
  path: '/v1/client-certificates',
  summary: 'Create a client certificate for a host',
  body: resources.clientCertificateBody,
  response: resources.clientCertificate,
  status: 201,
});
export const getClientCertificate = define({
  ...certificates,
  name: 'getClientCertificate',
  method: 'GET',
  path: '/v1/client-certificates/{id}',
  summary: 'Get a client certificate',
  params: certificateId,
  response: resources.clientCertificate,
});
export const deleteClientCertificate = define({
  ...certificates,
  name: 'deleteClientCertificate',
  method: 'DELETE',
  path: '/v1/client-certificates/{id}',
  summary: 'Delete a client certificate',
  params: certificateId,
});
