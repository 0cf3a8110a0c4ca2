/** Finds ports on which nothing listens. */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/** Systems give ports above these to clients and to servers that listen on port 0. */
const [FIRST, END] = [20_000, 32_768];

/** Returns a port of this machine on which nothing listens. Another test that listens on port 0 does not get it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST, END);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    server.close();
    await once(server, 'close');
    return port;
  }
}
