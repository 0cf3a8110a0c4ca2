/** A service, private locations and agents as processes of the built binary, and a target that answers when a test says so. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Env, type Running, startSonde } from './binary.ts';
import { byHand } from './by-hand.ts';
import type { E2eService } from './e2e.ts';
import { eventually } from './eventually.ts';

/** An HTTP target whose answers are held back. */
export async function startTarget() {
  const waiting = new Set<ServerResponse>();
  let isHeld = false;
  const server = createServer((_, response) => {
    if (!isHeld) return void response.end('ok');
    waiting.add(response);
    response.on('close', () => waiting.delete(response));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    hold: () => {
      isHeld = true;
    },
    letGo() {
      isHeld = false;
      for (const response of waiting) response.end('ok');
    },
    /** Once so many wait for an answer. */
    untilAsked: (count: number) =>
      eventually(() => {
        if (waiting.size !== count) throw new Error(`${waiting.size} wait`);
      }),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

interface Made {
  readonly id: string;
}

/** A private location with a URL check of a target. */
export async function makeLocation(service: E2eService, slug: string, target: string) {
  const location = await service.make<Made & { keys: readonly { rawKey: string }[] }>(
    'POST /v1/private-locations',
    { name: slug, slugName: slug },
  );
  const check = await service.make<Made>('POST /v1/checks/url', {
    ...{ name: slug, request: { url: target }, ...byHand() },
    ...{ privateLocations: [slug], locations: null, retryStrategy: null },
  });
  return {
    key: location.keys[0]?.rawKey ?? '',
    ...{ slug, checkId: check.id },
    /** Starts a session; gives its id. */
    async start(): Promise<string> {
      const { sessions } = await service.make<{ sessions: readonly { checkSessionId: string }[] }>(
        'POST /v2/check-sessions/trigger',
        { target: { checkId: [check.id] } },
      );
      return sessions[0]?.checkSessionId ?? '';
    },
    /** All its results, attempts included. */
    async results() {
      const { entries } = await service.make<{ entries: readonly Record<string, unknown>[] }>(
        `GET /v2/check-results/${check.id}?resultType=ALL&limit=100`,
      );
      return entries;
    },
  };
}

/** Waits until a session ends, and gives its status. */
export async function ended(service: E2eService, session: string): Promise<unknown> {
  for (;;) {
    const { status, body } = await service.api(
      `GET /v2/check-sessions/${session}/completion?maxWaitSeconds=30`,
    );
    if (status === 200) return (body as { readonly status: string }).status;
    if (status !== 408) throw new Error(`completion answered ${status}`);
  }
}

export interface AgentPlace {
  readonly key: string;
  readonly url: string;
  /** Its home; the spool is below it. */
  readonly home: string;
}

/** `sonde agent start` with two variables, and a health port of its own. Resolves once it serves its location. */
export async function startAgent(
  { key, url, home }: AgentPlace,
  flags: readonly string[] = ['--uptime'],
  more: Env = {},
): Promise<Running & { readonly port: number }> {
  const env = { PATH: process.env.PATH ?? '', HOME: home, API_KEY: key, SONDE_BASE_URL: url };
  const given = Object.fromEntries(Object.entries(more).map(([name, value]) => [name, value ?? '']));
  const agent = startSonde(['agent', 'start', '--health-port', '0', ...flags], {
    env: { ...env, ...given },
    cwd: home,
  });
  await agent.saw('Serving the private location');
  const port = Number(/port (\d+)/.exec(agent.stderr())?.[1]);
  return { ...agent, port };
}

/** Where an agent of that home keeps results that wait. */
export const spoolOf = (home: string): string => join(home, '.local/share/sonde/agent');
