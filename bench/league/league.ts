/**
 * Puts sonde and its peers before the same faulty servers: `npm run league`. Each target is made so that its right verdict is
 * known. Writes results.json, from which docs/compatibility.md has its table. Ends with 1 if sonde passes a bad target.
 */
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from '../../test/cases/servers/certificates.ts';
import { startDnsServer } from '../../test/cases/servers/dns-server.ts';
import { ok } from '../../test/cases/servers/http-answers.ts';
import { startHttpServer } from '../../test/cases/servers/http-server.ts';
import { type Endpoint, listenTcp } from '../../test/cases/servers/listen.ts';
import { startTlsServer, tlsServers } from '../../test/cases/servers/tls-servers.ts';
import { freePort } from '../../test/support/free-port.ts';
import { findProgram } from '../../test/support/needs.ts';
import { blackbox } from './blackbox.ts';
import { httpTargets } from './http-targets.ts';
import { networkTargets } from './network-targets.ts';
import { summarize } from './results.ts';
import { sonde } from './sonde.ts';
import { synthetics } from './synthetics.ts';
import type { Served, Target, Verdicts } from './target.ts';

const RUNNERS = [sonde, blackbox, synthetics];
const RESULTS = 'bench/league/results.json';

/** The second origin of redirects. It refuses requests with a secret that is not its own. */
const startOtherOrigin = () =>
  startHttpServer(
    {
      notFound: ({ headers }) =>
        Object.values(headers).some((value) => value.includes('topsecret'))
          ? ok('', {}, '403 Forbidden')
          : ok('welcome'),
    },
    () => 0,
  );

/** Starts a server for each target, and one for all names. */
async function serve(targets: readonly Target[]) {
  const certificates = await makeCertificates();
  const other = await startOtherOrigin();
  const named = targets.map((target, index) => ({ target, id: `t${index}` }));
  const names = await startDnsServer(
    Object.fromEntries(
      named.flatMap(({ id, target: { probe } }) => (probe.type === 'dns' ? [[id, probe.respond]] : [])),
    ),
  );
  const endpoints: Endpoint[] = [other, names];
  async function portOf(id: string, { probe }: Target): Promise<number> {
    if (probe.type === 'dns') return names.port;
    if (probe.type === 'tcp' && probe.serve === undefined) return freePort();
    const endpoint = await start(id, probe);
    endpoints.push(endpoint);
    return endpoint.port;
  }
  function start(id: string, probe: Exclude<Target['probe'], { type: 'dns' }>): Promise<Endpoint> {
    switch (probe.type) {
      case 'http':
        return startHttpServer({ [id]: probe.answer, ...probe.more }, () => other.port);
      case 'tcp':
        return listenTcp((socket) => probe.serve?.(socket));
      default:
        return startTlsServer(tlsServers[probe.server], certificates);
    }
  }
  const served: Served[] = [];
  for (const { id, target } of named) served.push({ id, target, port: await portOf(id, target) });
  const close = async () => {
    await Promise.all(endpoints.map((endpoint) => endpoint.close()));
    await certificates.remove();
  };
  return { served, trusted: certificates.trusted, close };
}

export async function main(): Promise<number> {
  if (findProgram('openssl') === undefined) {
    console.error('The league makes certificates with openssl: apt-get install openssl');
    return 2;
  }
  const targets = [...httpTargets, ...networkTargets];
  const { served, trusted, close } = await serve(targets);
  const folder = await mkdtemp(join(tmpdir(), 'sonde-league-'));
  const verdicts = new Map<string, Verdicts>();
  try {
    for (const runner of RUNNERS) {
      const result = await runner.run(served, trusted, folder);
      if (typeof result === 'string') console.log(`${runner.name}: ${result}`);
      else verdicts.set(runner.name, result);
    }
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
  const { results, falseGreens, falseAlarms, unexplained } = summarize(served, verdicts);
  for (const [name, result] of verdicts) console.log(`${name}: ${result.size} of ${targets.length} targets`);
  for (const name of falseGreens) console.log(`false green of sonde: ${name}`);
  for (const name of falseAlarms) console.log(`false alarm of sonde: ${name}`);
  for (const name of unexplained) console.log(`sonde differs from all peers without an explanation: ${name}`);
  if (verdicts.size === RUNNERS.length) {
    await writeFile(RESULTS, `${JSON.stringify(results, null, 2)}\n`);
    execFileSync(process.execPath, ['scripts/compatibility.mjs']);
  }
  console.log(
    `${targets.length} targets, ${falseGreens.length} false greens, ${falseAlarms.length} false alarms`,
  );
  return falseGreens.length + unexplained.length > 0 ? 1 : 0;
}
