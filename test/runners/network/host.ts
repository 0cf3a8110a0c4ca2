/** Runs checks by themselves, in surroundings that a test process cannot have; prints what they came to as JSON. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../../../src/base/clock.ts';
import { run as runUrl } from '../../../src/runners/http/url-runner.ts';
import { run as runIcmp } from '../../../src/runners/icmp/runner.ts';
import { run as runTcp } from '../../../src/runners/tcp/runner.ts';
import { evaluateInProcess } from '../../support/runners.ts';

const server = createServer((_, response) => response.end('four'));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const context = {
  ...{ clock: systemClock, evaluate: evaluateInProcess, location: 'test', resolvers: () => [] },
  // A name with an address of each family.
  lookup: async (_: string, family: number) =>
    [4, 6]
      .filter((one) => family === 0 || family === one)
      .map((one) => ({ family: one, address: one === 4 ? '127.0.0.1' : '::1' })),
};
const { signal } = new AbortController();
const told = async (running: ReturnType<typeof runUrl>) =>
  running.then(
    ({ errors, details }) => ({ errors, address: details.address, notes: details.notes }),
    (error: Error) => `${error.name}: ${error.message}`,
  );
const ipFamily = 'IPv6';
const [, , asked = '127.0.0.1'] = process.argv;
console.log(
  JSON.stringify({
    url: await told(runUrl({ request: { url: `http://both.test:${port}/`, ipFamily } }, context, signal)),
    tcp: await told(runTcp({ request: { hostname: 'both.test', port, ipFamily } }, context, signal)),
    icmp: await told(
      runIcmp({ request: { hostname: 'both.test', pingCount: 1, ipFamily } }, context, signal),
    ),
    address: await told(runUrl({ request: { url: `http://[::1]:${port}/` } }, context, signal)),
    pinged: await told(runIcmp({ request: { hostname: asked, pingCount: 1 } }, context, signal)),
  }).replaceAll(String(port), 'PORT'),
);
server.close();
