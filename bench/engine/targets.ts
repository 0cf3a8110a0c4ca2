/** Starts the targets of the benchmark: a name server, an HTTPS server and a TCP server on loopback. */
import { createServer } from 'node:https';
import { makeCertificates } from '../../test/cases/servers/certificates.ts';
import { type Endpoint, listen, listenTcp } from '../../test/cases/servers/listen.ts';
import { type Knot, startKnot } from '../../test/support/dns/knot.ts';
import { freePort } from '../../test/support/free-port.ts';

export const ZONE = 'bench.test';
const ZONE_TEXT = `$ORIGIN ${ZONE}.
@ 60 IN SOA ns hostmaster 1 3600 600 86400 60
@ 60 IN NS ns
ns 60 IN A 127.0.0.1
www 60 IN A 192.0.2.7
`;

/** Starts Knot with one small zone. @throws Error if it is not installed. */
export async function startNames(): Promise<Knot> {
  const names = await startKnot({ [ZONE]: ZONE_TEXT });
  if (names === undefined) throw new Error('knotd is not installed: apt-get install knot');
  return names;
}

export interface Targets {
  readonly names: Knot;
  /** Serves {@link PAGE}, one request a connection. */
  readonly https: Endpoint;
  /** Greets with {@link GREETING}. */
  readonly tcp: Endpoint;
  /** File of the certificate authority that signed the certificate of `https`. */
  readonly authority: string;
  close(): Promise<void>;
}

export const GREETING = '220 bench.test ESMTP';
const PAGE = JSON.stringify({ status: 'ok', text: 'sonde '.repeat(300) });

/** Starts all of them. @throws Error if Knot or OpenSSL is not installed. */
export async function startTargets(): Promise<Targets> {
  const [names, certificates] = await Promise.all([startNames(), makeCertificates()]);
  // Each request makes a new connection with a full handshake.
  const server = createServer(await certificates.chain('good', 'intermediate'), (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(PAGE);
  });
  const https = await listen(server, await freePort());
  const tcp = await listenTcp((socket) => socket.end(`${GREETING}\r\n`));
  return {
    ...{ names, https, tcp, authority: certificates.trusted },
    async close() {
      await Promise.all([names.stop(), https.close(), tcp.close(), certificates.remove()]);
    },
  };
}
