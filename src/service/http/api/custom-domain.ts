/** Handles the custom domains of status pages and dashboards: which are valid, which are verified, and how to verify one. */

import { isIP } from 'node:net';
import { isUrl } from '../../../base/parse-url.ts';
import type { StatusPage } from '../../../contract/resources/status-page.ts';
import type { StoredResource } from '../../store/documents.ts';
import type { ResourceStore } from '../../store/index.ts';
import { declaredDomain } from '../../store/verified-domains.ts';
import { withConflictMessage } from './document-resource.ts';
import type { HandlerContext } from './handler.ts';
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
  const host = isUrl(`http://${name}`) ? new URL(`http://${name}`).hostname : undefined;
  if (host === undefined || isIP(host) !== 0)
    return `must be a domain, not an IP address (for example ${EXAMPLE_DOMAIN})`;
  if (name === 'localhost' || name.endsWith('.localhost'))
    return `must not be localhost, which is a different machine for each visitor: use a public domain (for example ${EXAMPLE_DOMAIN}), or omit it and use the address of the page on this service`;
  if (serviceUrl !== undefined && isUrl(serviceUrl) && new URL(serviceUrl).hostname === name)
    return `must not be the host of the service: use another domain (for example status.${name}), or omit it and use the address of the page on this service`;
  return undefined;
}

interface WithDomain {
  readonly customDomain?: string | null | undefined;
}
type DomainPage = Pick<StoredResource<string, WithDomain>, 'id' | 'accountId' | 'body'>;
type DomainFields = Pick<StatusPage, 'customDomainStatus' | 'customDomainChallenge'>;

const KINDS = [
  ['statusPages', 'status page'],
  ['dashboards', 'dashboard'],
] as const;

/** Returns the page that is served at a domain, in any account, with its kind. */
async function findHolder(store: ResourceStore, domain: string) {
  for (const [collection, label] of KINDS) {
    const page = await store[collection].byDomain(domain);
    if (page !== undefined) return { id: page.id, accountId: page.accountId, label };
  }
  return undefined;
}

/**
 * Returns whether an account may have a domain now: it has it already, or no page has it and the account controls it. Looks it
 * up in the network only in the last case.
 */
export async function canHaveDomain(
  { store, domainProofs }: Pick<HandlerContext, 'store' | 'domainProofs'>,
  accountId: string,
  domain: string,
): Promise<boolean> {
  const holder = await findHolder(store, domain);
  return holder === undefined ? domainProofs.hasProof(accountId, domain) : holder.accountId === accountId;
}

/** Domains that one request looks up. The others stay unverified until the user verifies them. */
const MAX_LOOKUPS = 20;

/**
 * Returns the proofs for a transaction, which must not wait for the network. `bodies`: those of all requests of the
 * transaction.
 */
export async function proofsForTransaction(
  context: Pick<HandlerContext, 'store' | 'domainProofs'>,
  accountId: string,
  bodies: readonly unknown[],
): Promise<HandlerContext['domainProofs']> {
  const domains = bodies.flatMap((body) => {
    const { customDomain } = (body ?? {}) as { readonly customDomain?: unknown };
    return typeof customDomain === 'string' && HOST_NAME.test(customDomain)
      ? [customDomain.toLowerCase()]
      : [];
  });
  const proved = new Set<string>();
  const lookUp = async (domain: string) => {
    if (await canHaveDomain(context, accountId, domain)) proved.add(domain);
  };
  await Promise.all([...new Set(domains)].slice(0, MAX_LOOKUPS).map(lookUp));
  return { ...context.domainProofs, hasProof: async (_, domain) => proved.has(domain) };
}

/** Returns the functions for the domains of one kind of page. */
export function customDomains(
  context: Pick<HandlerContext, 'store' | 'domainProofs' | 'publicUrl'>,
  kind: 'statusPages' | 'dashboards',
) {
  const { store, domainProofs, publicUrl } = context;

  async function serveIfProved(page: DomainPage): Promise<void> {
    const domain = declaredDomain(page.body);
    if (domain === undefined || !(await canHaveDomain(context, page.accountId, domain))) return;
    await withConflictMessage(
      () => `Another page already uses the domain ${domain}`,
      () => store[kind].serveAtDomain(page.accountId, page.id, domain),
    );
  }

  /** Throws `Problem` 409 if another page is served at the domain. */
  async function assertFree(domain: string, id: string | undefined): Promise<void> {
    const holder = await findHolder(store, domain.toLowerCase());
    if (holder !== undefined && holder.id !== id)
      throw conflict(`A ${holder.label} already uses the domain ${domain}`);
  }

  return {
    /** Throws `Problem` 400 for an invalid domain, and 409 if another page is served there. `id`: of an existing page. */
    async assertDomain({ customDomain }: WithDomain, id?: string): Promise<void> {
      if (!customDomain) return;
      const problem = validateDomain(customDomain, publicUrl());
      if (problem !== undefined) throw invalid([violation('body', ['customDomain'], 'format', problem)]);
      await assertFree(customDomain, id);
    },
    /** Serves the page at its domain if its account controls the domain. Call it after each write. */
    serveIfProved,
    /** Verifies the domain of a page again. Throws `Problem` 400 without a domain, and 409 if another page has it. */
    async verify(page: DomainPage): Promise<void> {
      const { customDomain } = page.body;
      if (!customDomain)
        throw invalid([violation('body', ['customDomain'], 'required', 'must be set before it is verified')]);
      await assertFree(customDomain, page.id);
      await serveIfProved(page);
    },
    /** Returns a function that returns the fields of a response about the domain of a page. */
    async present(pages: readonly DomainPage[]): Promise<(page: DomainPage) => DomainFields> {
      const declaring = pages.filter(({ body }) => declaredDomain(body) !== undefined);
      const verified = await store[kind].idsWithVerifiedDomain(declaring.map(({ id }) => id));
      return ({ id, accountId, body }) => {
        const domain = declaredDomain(body);
        if (domain === undefined) return {};
        if (verified.has(id)) return { customDomainStatus: 'VERIFIED' };
        const { recordName, fileUrl, token } = domainProofs.challenge(accountId, domain);
        return {
          customDomainStatus: 'UNVERIFIED',
          customDomainChallenge: { recordName, recordType: 'TXT', recordValue: token, fileUrl },
        };
      };
    },
  };
}
