/** What is monitored while the service endures: a name server and a page whose answers turn bad and good by a plan. */
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { AUTHORITATIVE_ANSWER, decode, encode } from 'dns-packet';

export const GOOD_ADDRESS = '192.0.2.7';
export const BAD_ADDRESS = '203.0.113.7';
const NXDOMAIN = 3;

/** Good for so long, then bad for so long (ms), again and again; `shift`: where it begins. */
export interface Course {
  readonly good: number;
  readonly bad: number;
  readonly shift: number;
}

export interface Target {
  /** `host:port` of the name server. */
  readonly resolver: string;
  /** Address of the page; it answers 500 where its course says so. */
  readonly page: string;
  /** How often it said something bad and something good. */
  readonly said: { good: number; bad: number };
  /** From now on all is well. */
  calm(): void;
  close(): Promise<void>;
}

const isBad = ({ good, bad, shift }: Course): boolean => (Date.now() + shift) % (good + bad) >= good;

/** `courses`: by name. Other names are good, but for those that begin with `missing`. `/flip` has the course of that name. */
export async function startTarget(courses: ReadonlyMap<string, Course>): Promise<Target> {
  const said = { good: 0, bad: 0 };
  let isCalm = false;
  function find(name: string): 'good' | 'bad' {
    const course = courses.get(name);
    const found = !isCalm && course !== undefined && isBad(course) ? 'bad' : 'good';
    said[found] += 1;
    return found;
  }

  const socket = createSocket('udp4');
  socket.on('message', (bytes, from) => {
    const query = decode(bytes);
    const name = query.questions?.[0]?.name.toLowerCase() ?? '';
    const base = {
      type: 'response',
      id: query.id ?? 0,
      questions: query.questions ?? [],
    } as const;
    const reply = name.startsWith('missing')
      ? encode({ ...base, flags: AUTHORITATIVE_ANSWER | NXDOMAIN })
      : encode({
          ...{ ...base, flags: AUTHORITATIVE_ANSWER },
          answers: [{ type: 'A', name, ttl: 60, data: find(name) === 'bad' ? BAD_ADDRESS : GOOD_ADDRESS }],
        });
    socket.send(reply, from.port, from.address, () => {});
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));

  const server = createServer((request, response) => {
    const name = (request.url ?? '/').slice(1);
    response.statusCode = find(name) === 'bad' ? 500 : 200;
    response.setHeader('content-type', 'text/html');
    response.end('<title>Shop</title><h1>Shop</h1><a href="#there">there</a>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    resolver: `127.0.0.1:${socket.address().port}`,
    page: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    said,
    calm() {
      isCalm = true;
    },
    async close() {
      server.closeAllConnections();
      await Promise.all([
        new Promise<void>((resolve) => socket.close(resolve)),
        new Promise<void>((resolve) => server.close(() => resolve())),
      ]);
    },
  };
}
