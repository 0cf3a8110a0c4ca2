/** Validates custom domains of status pages and dashboards, which are found by the `Host` header. */
import { isIP } from 'node:net';
import { conflict, invalid, violation } from './problem.ts';

const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const EXAMPLE_DOMAIN = 'status.example.com';

/**
 * Returns the violation of a custom domain with its remedy; undefined if it is valid. `serviceUrl` is the address of
 * the service.
 */
function validateDomain(domain: string, serviceUrl: string | undefined): string | undefined {
  if (!HOST_NAME.test(domain)) return `must be a host name, such as ${EXAMPLE_DOMAIN}`;
  const name = domain.toLowerCase();
  // `127.1` and `0x7f000001` are also addresses by the rules of URLs.
  const host = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
  if (host === undefined || isIP(host) !== 0)
    return `must be a domain, not an IP address (for example ${EXAMPLE_DOMAIN})`;
  if (name === 'localhost' || name.endsWith('.localhost'))
    return `must not be localhost, which is a different machine for each visitor: use a public domain (for example ${EXAMPLE_DOMAIN}), or omit it and use the address of the page on this service`;
  if (serviceUrl !== undefined && URL.canParse(serviceUrl) && new URL(serviceUrl).hostname === name)
    return `must not be the host of the service: use another domain (for example status.${name}), or omit it and use the address of the page on this service`;
  return undefined;
}

interface DomainUse {
  /** The address of the service. */
  readonly serviceUrl: string | undefined;
  /** What else may have the domain, such as `dashboard`, in any account, and how it is found. */
  readonly other: string;
  readonly findOther: (domain: string) => Promise<unknown>;
}

/** Throws `Problem` 400 for an invalid domain, and 409 if the other kind of page has it. */
export async function assertCustomDomain(
  { customDomain }: { readonly customDomain?: string | null | undefined },
  { serviceUrl, other, findOther }: DomainUse,
): Promise<void> {
  if (!customDomain) return;
  const problem = validateDomain(customDomain, serviceUrl);
  if (problem !== undefined) throw invalid([violation('body', ['customDomain'], 'format', problem)]);
  if ((await findOther(customDomain.toLowerCase())) !== undefined)
    throw conflict(`A ${other} already uses the domain ${customDomain}`);
}
