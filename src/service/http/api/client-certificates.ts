/** Handles client certificates. No response contains a private key. */
import type { BodyOf, createClientCertificate, ResponseOf } from '../../../contract/index.ts';
import { CannotRun } from '../../../runners/core/runner.ts';
import { clientCertificateParsing } from '../../../runners/tls/parse-client-certificate.ts';
import type { ClientCertificateBody, StoredResource } from '../../store/documents.ts';
import { createDocumentResource, toIso } from './document-resource.ts';
import type { HandlerContext, Handlers } from './handler.ts';
import { conflict, invalid, Problem, violation } from './problem.ts';

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

type Requested = BodyOf<typeof createClientCertificate>;

const refuse = (field: keyof Requested, message: string) =>
  invalid([violation('body', [field], 'certificate', message)]);

/** Returns the certificate to store. Throws `Problem` 400 with the reason if a part of it is invalid. */
async function parse(
  requested: Requested,
  { clock, evaluate, stopping }: HandlerContext,
): Promise<ClientCertificateBody> {
  try {
    const input = { requested, now: clock.now() };
    const parsed = await evaluate(clientCertificateParsing, input, stopping);
    if ('certificate' in parsed) return parsed.certificate;
    throw refuse(parsed.refusal.field, parsed.refusal.message);
  } catch (error) {
    if (!(error instanceof CannotRun) || stopping.aborted) throw error;
    throw refuse('key', 'takes too long to read: use an EC key, or an RSA key of at most 4096 bits');
  }
}

const RETRY_AFTER_S = 5;

export function clientCertificateHandlers(context: HandlerContext) {
  const { store } = context;
  /** Accounts whose keys are being read: one key each, so that no account waits for the queue of another. */
  const reading = new Set<string>();
  async function parseForAccount(accountId: string, requested: Requested): Promise<ClientCertificateBody> {
    if (reading.has(accountId))
      throw new Problem(429, 'The previous private key of this account is still being read. Try again', {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      });
    reading.add(accountId);
    try {
      return await parse(requested, context);
    } finally {
      reading.delete(accountId);
    }
  }
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
      const parsed = await parseForAccount(accountId, body);
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
