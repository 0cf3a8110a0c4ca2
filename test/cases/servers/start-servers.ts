/** Starts all servers of the cases, each on a free port. */
import { makeCertificates } from './certificates.ts';
import { dnsResponders } from './dns-responders.ts';
import { startDnsServer } from './dns-server.ts';
import { httpAnswers } from './http-answers.ts';
import { startHttpServer } from './http-server.ts';
import { type Endpoint, listenTcp } from './listen.ts';
import { startSite } from './site.ts';
import { tcpServers } from './tcp-servers.ts';
import { startTlsServer, tlsServers } from './tls-servers.ts';

export interface Servers {
  /** By the name after `port.` in the cases: `http`, `dns`, `tcp.flood`, `tls.good`. */
  readonly ports: ReadonlyMap<string, number>;
  /** The authorities that checks trust, for NODE_EXTRA_CA_CERTS. */
  readonly trusted: string;
  readonly close: () => Promise<void>;
}

export async function startServers(): Promise<Servers> {
  const certificates = await makeCertificates();
  const endpoints = new Map<string, Endpoint>();
  const portOf = (name: string): number => endpoints.get(name)?.port ?? 0;
  endpoints.set('dns', await startDnsServer(dnsResponders()));
  endpoints.set('site', await startSite());
  endpoints.set('http', await startHttpServer(httpAnswers, () => portOf('otherOrigin')));
  endpoints.set('otherOrigin', await startHttpServer(httpAnswers, () => portOf('http')));
  for (const [name, serve] of Object.entries(tcpServers))
    endpoints.set(`tcp.${name}`, await listenTcp(serve));
  for (const [name, server] of Object.entries(tlsServers))
    endpoints.set(`tls.${name}`, await startTlsServer(server, certificates));
  return {
    ports: new Map([...endpoints].map(([name, { port }]) => [name, port])),
    trusted: certificates.trusted,
    async close() {
      await Promise.all([...endpoints.values()].map((endpoint) => endpoint.close()));
      await certificates.remove();
    },
  };
}
