/** Handles client certificates. No response contains a private key. */
import type { createClientCertificate, ResponseOf } from '../../../contract/index.ts';
import type { ClientCertificateBody, StoredResource } from '../../store/documents.ts';
import { createDocumentResource, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { parseClientCertificate } from './parse-client-certificate.ts';
import { conflict } from './problem.ts';

/** Every run of an API or URL check reads all of them. */
const MAX_CERTIFICATES = 100;

const present = ({
  id,
  body: { host, cert, ca = null },
  createdAt,
}: StoredResource<string, ClientCertificateBody>): ResponseOf<typeof createClientCertificate> => ({
  ...{ id, host, cert, ca },
  created_at: toIso(createdAt),
});

export function clientCertificateHandlers({ store, clock }: HandlerContext) {
  const certificates = createDocumentResource({
    collection: store.clientCertificates,
    label: 'client certificate',
    param: 'id',
    present: (all) => all.map(present),
  });
  return {
    listClientCertificates: async ({ accountId }) =>
      (await store.clientCertificates.list(accountId)).map(present),

    async createClientCertificate({ accountId, body }) {
      const parsed = parseClientCertificate(body, clock.now());
      return store.transaction(async (tx) => {
        if ((await tx.clientCertificates.count(accountId)) >= MAX_CERTIFICATES)
          throw conflict(
            `An account has at most ${MAX_CERTIFICATES} client certificates: delete those that no check needs`,
          );
        return present(await tx.clientCertificates.create(accountId, parsed));
      });
    },

    getClientCertificate: certificates.get,
    deleteClientCertificate: certificates.remove,
  } satisfies Partial<Handlers>;
}
