/** The domains that a status page may have: names that lead people to this service and are not where it is reached itself. */
import { isIP } from 'node:net';

/** A name of a host, without a port. */
const DOMAIN = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/i;
const EXAMPLE = 'status.example.com';

/** What is wrong with a domain, in the words of a violation, with the way out; undefined: nothing. `own`: the service's own address. */
export function domainProblem(domain: string, own: string | undefined): string | undefined {
  if (!DOMAIN.test(domain)) return `must be the name of a host (${EXAMPLE})`;
  const name = domain.toLowerCase();
  // `127.1` and `0x7f000001` are addresses, too: the URL's own rules say so.
  const host = URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
  if (host === undefined || isIP(host) !== 0)
    return `must be a name, not an IP address: give the domain that leads to it (${EXAMPLE})`;
  if (name === 'localhost' || name.endsWith('.localhost'))
    return `must not be localhost, which is another machine to each reader: give a domain of your own (${EXAMPLE}), or leave it out and use the page's address below the service`;
  if (own !== undefined && URL.canParse(own) && new URL(own).hostname === name)
    return `must not be the host of the service itself: give a domain of its own (status.${name}), or leave it out and use the page's address below the service`;
  return undefined;
}
