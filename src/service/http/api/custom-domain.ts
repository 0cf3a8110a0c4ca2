/** The domains that a status page may have: names that lead people to this service and are not where it is reached itself. */
import { isIP } from 'node:net';

/** A name of a host, without a port. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const EXAMPLE = 'status.example.com';

/** What is wrong with a domain, in the words of a violation, with the way out; undefined: nothing. `own`: the service's own address. */
export function domainProblem(domain: string, own: string | undefined): string | undefined {
  if (!DOMAIN.test(domain)) return `must be a host name, such as ${EXAMPLE}`;
  const name = domain.toLowerCase();
  // `127.1` and `0x7f000001` are addresses, too: the URL's own rules say so.
  const host = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
  if (host === undefined || isIP(host) !== 0)
    return `must be a domain, not an IP address (for example ${EXAMPLE})`;
  if (name === 'localhost' || name.endsWith('.localhost'))
    return `must not be localhost, which is a different machine for each visitor: use a public domain (for example ${EXAMPLE}), or omit it and use the address of the page on this service`;
  if (own !== undefined && URL.canParse(own) && new URL(own).hostname === name)
    return `must not be the host of the service: use another domain (for example status.${name}), or omit it and use the address of the page on this service`;
  return undefined;
}
