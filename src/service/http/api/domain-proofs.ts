/** Finds out whether an account controls a domain: by a TXT record, or by a file on the server of the domain. */
import { Resolver } from 'node:dns/promises';
import type { Clock } from '../../../base/clock.ts';
import type { Random } from '../../../base/random.ts';
import type { DenyAddress } from '../../../runners/core/address-policy.ts';
import { resolveResolvers } from '../../../runners/dns/runner.ts';
import { formatEndpoint } from '../../../runners/network/fault.ts';
import { createCapability } from '../../engine/sessions/capability.ts';
import { DELIVERED, failForGood } from '../../notify/outbox/deliver/delivery.ts';
import { deliverHttp, type HttpResponse } from '../../notify/outbox/deliver/http.ts';

/** Maximum duration of a look-up, in ms. The record and the file are requested at the same time. */
const TIMEOUT_MS = 5000;
/** Timeout of one resolver, in ms. */
const RESOLVER_TIMEOUT_MS = 1600;
const RECORD_PREFIX = '_sonde-challenge';
/** The path of the file. The service must never serve it: each account could verify each domain that leads here. */
export const CHALLENGE_PATH = '/.well-known/sonde-challenge';

export interface DomainProofOptions {
  /** The secret of the service, which derives the token of each account. */
  readonly secret: string;
  /** Accepts every domain without a proof. */
  readonly trustsAll: boolean;
  readonly resolvers: () => readonly string[];
  readonly denyAddress: DenyAddress | undefined;
  readonly clock: Clock;
  readonly random: Random;
  /** Aborts when the service stops. */
  readonly stopping: AbortSignal;
}

/** A record or a file by which an account proves that it controls a domain. */
export interface DomainChallenge {
  readonly recordName: string;
  readonly fileUrl: string;
  /** The value of the record, and a line of the file. */
  readonly token: string;
}

export interface DomainProofs {
  readonly challenge: (accountId: string, domain: string) => DomainChallenge;
  /** Returns whether the account controls the domain. Never throws. */
  readonly hasProof: (accountId: string, domain: string) => Promise<boolean>;
}

export function createDomainProofs(options: DomainProofOptions): DomainProofs {
  const { secret, trustsAll, resolvers, denyAddress, clock, random, stopping } = options;
  const challenge = (accountId: string, domain: string): DomainChallenge => ({
    recordName: `${RECORD_PREFIX}.${domain}`,
    fileUrl: `http://${domain}${CHALLENGE_PATH}`,
    token: createCapability(secret, 'domain', accountId),
  });

  async function hasRecord({ recordName, token }: DomainChallenge, signal: AbortSignal): Promise<boolean> {
    const bounds = { clock, timeoutMs: TIMEOUT_MS, signal };
    const servers = await resolveResolvers(resolvers(), bounds);
    const resolver = new Resolver({ timeout: RESOLVER_TIMEOUT_MS, tries: 1 });
    resolver.setServers(servers.map(({ address, port }) => formatEndpoint(address, port)));
    signal.addEventListener('abort', () => resolver.cancel(), { once: true });
    const records = await resolver.resolveTxt(recordName);
    return records.some((strings) => strings.join('').trim() === token);
  }

  async function hasFile({ fileUrl, token }: DomainChallenge, signal: AbortSignal): Promise<boolean> {
    const isFile = ({ status, text }: HttpResponse) =>
      status === 200 && text.split('\n').some((line) => line.trim() === token);
    const { ok } = await deliverHttp(
      { url: new URL(fileUrl), method: 'GET', headers: {}, body: undefined },
      { idempotencyKey: random.uuid(), signal },
      { timeoutMs: TIMEOUT_MS, denyAddress },
      (response) => (isFile(response) ? DELIVERED : failForGood('no such file')),
    );
    return ok;
  }

  return {
    challenge,
    async hasProof(accountId, domain) {
      if (trustsAll) return true;
      const expected = challenge(accountId, domain);
      const done = new AbortController();
      const signal = AbortSignal.any([stopping, done.signal, AbortSignal.timeout(TIMEOUT_MS)]);
      const requireProof = async (look: typeof hasRecord) => {
        if (!(await look(expected, signal))) throw new Error('no proof');
      };
      try {
        await Promise.any([requireProof(hasRecord), requireProof(hasFile)]);
        return true;
      } catch {
        return false;
      } finally {
        done.abort();
      }
    },
  };
}
