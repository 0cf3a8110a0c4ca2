/** Defines the commands that verify the custom domain of a page. */
import { VerdictError } from '../../base/errors.ts';
import { EXIT } from '../../base/exits.ts';
import type { Endpoint, ResponseOf } from '../../contract/index.ts';
import { type Command, defineCommand } from '../framework/index.ts';
import type { DomainFields } from '../resources/custom-domain.ts';
import type { ReadableResource, Resource } from '../resources/resource.ts';
import { idArgument, printResource } from './read.ts';

/** Returns `sonde status-pages verify-domain`. */
export function verifyDomainCommand<E extends Endpoint>(
  resource: Resource<ResponseOf<E>> & ReadableResource,
  verify: ResponseOf<E> extends DomainFields ? E : never,
): Command {
  const { commandGroup, noun, sampleId } = resource;
  const name = `${commandGroup} verify-domain`;
  const endpoint: Endpoint = verify;
  return defineCommand({
    name,
    summary: `Verify the custom domain of a ${noun}`,
    description: `The service serves the ${noun} at its custom domain after it has found the DNS record or the file of this account.`,
    endpoint,
    arguments: { id: idArgument(resource) },
    examples: [{ line: `${name} ${sampleId}`, does: 'Verify the domain after the DNS record was created' }],
    exits: [[EXIT.badVerdict, 'neither the DNS record nor the file was found']],
    async run(deps, { input, ...line }) {
      const { client, signal } = deps;
      const { body } = await (await client()).call(endpoint, input, { signal });
      await printResource(deps, line, resource, body as ResponseOf<E>);
      const { customDomain, customDomainStatus } = body as DomainFields;
      if (customDomainStatus !== 'VERIFIED')
        throw new VerdictError(
          `${customDomain} is not verified: the service found neither the DNS record nor the file`,
          EXIT.badVerdict,
          { hint: 'a new DNS record can take minutes to become visible' },
        );
    },
  });
}
