/** What the matrix of endpoints knows of each: how it is called well, called badly, and what must be seen of it. */
import { randomUUID } from 'node:crypto';
import type { LoopbackNameServer } from '../../../src/runners/dns/loopback-server.ts';
import type { E2eService } from '../../support/e2e.ts';

/** What a row is run against: a service, and a name server that its checks ask. */
export interface World {
  readonly service: E2eService;
  readonly names: LoopbackNameServer;
}

/** What was made for a row. */
export interface Made {
  /** What the endpoint addresses; empty where it addresses nothing. */
  readonly id: string;
  /** A text that is only its own. */
  readonly name: string;
  /** The check that it belongs to, where it does. */
  readonly checkId?: string;
}

export interface Row {
  /** Of the specification's table. */
  readonly number: number;
  /** Makes what one run of the command needs. */
  arrange(world: World): Promise<Made>;
  /** A command line that must succeed. */
  command(made: Made, world: World): readonly string[];
  /** Deletions say nothing on stdout where no format is asked for. */
  readonly silent?: true;
  /** What the result must show as a table and as tab-separated values. */
  shows(made: Made): readonly string[];
  /** Throws unless the service holds what `--json` printed: read past the binary. */
  stored(world: World, made: Made, printed: unknown): Promise<void>;
  /** A command line that must not be sent, and what must be said of it. */
  readonly bad: { readonly args: readonly string[]; readonly says: readonly string[] };
  /** A request that only the service can refuse: path and query, body, and every place that is wrong with it. */
  readonly raw: { readonly path: string; readonly body?: unknown; readonly violations: readonly string[] };
  /** An id that is none; absent where the endpoint addresses nothing. */
  readonly missing?: { readonly id: string; readonly body?: unknown };
  /** Whether the specification documents a 429. */
  readonly limited?: true;
}

/** An id that nothing has. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';
export const NO_NUMBER = '4711000';

let count = 0;
/** A name that nothing else has, without spaces so that it stands in a table as it is. */
export function fresh(kind: string): string {
  count += 1;
  return `${kind}-${count}-${randomUUID().slice(0, 4)}`;
}

/** A body for a DNS check of the name server; `query` decides how it ends. */
export const dnsCheck = ({ names }: World, name: string, query = 'good.test') => ({
  name,
  request: {
    query,
    nameServer: names.address,
    port: names.port,
    assertions: [{ source: 'RESPONSE_CODE', comparison: 'EQUALS', target: 'NOERROR' }],
  },
  heartbeat: {},
  script: '',
  locations: ['eu-west-1'],
  retryStrategy: null,
  // The limits are about the machine, and so is their outcome: only tests of them set others.
  degradedResponseTime: 5000,
  maxResponseTime: 5000,
  frequency: 1440,
});

interface Check {
  readonly id: string;
}

/** Makes a check. */
export async function makeCheck(world: World, query?: string): Promise<Made & { readonly checkId: string }> {
  const name = fresh('check');
  const { id } = await world.service.make<Check>('POST /v1/checks/dns', dnsCheck(world, name, query));
  return { id, name, checkId: id };
}

/** Makes a check, runs it once, and gives the session when it has ended. */
export async function makeSession(
  world: World,
  query?: string,
): Promise<Made & { readonly checkId: string }> {
  const { name, checkId } = await makeCheck(world, query);
  const { sessions } = await world.service.make<{ sessions: readonly { checkSessionId: string }[] }>(
    'POST /v2/check-sessions/trigger',
    { target: { checkId: [checkId] } },
  );
  const id = sessions[0]?.checkSessionId ?? '';
  await world.service.make(`GET /v2/check-sessions/${id}/completion?maxWaitSeconds=30`);
  return { id, name, checkId };
}
