/** Completes references to status page services. */
import { ApiError } from '../../../base/errors.ts';
import { getService } from '../../../contract/index.ts';
import type { Deps } from '../../framework/index.ts';

interface ServiceReference {
  readonly id: string;
  readonly name?: string;
  readonly accountId?: string;
}

/**
 * Returns the references with the name and the account of each service, which deployments require. A reference to a service
 * that cannot be read stays unchanged, because the deployment reports it better.
 */
export async function withServiceDetails(
  { client, signal }: Pick<Deps, 'client' | 'signal'>,
  services: readonly ServiceReference[],
): Promise<ServiceReference[]> {
  const api = await client();
  return Promise.all(
    services.map(async (reference) => {
      if (reference.name !== undefined && reference.accountId !== undefined) return reference;
      try {
        const { body } = await api.call(getService, { params: { id: reference.id } }, { signal });
        const { name, accountId } = body;
        return {
          ...(name === undefined ? {} : { name }),
          ...(accountId === undefined ? {} : { accountId }),
          ...reference,
        };
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        return reference;
      }
    }),
  );
}
