/** A service that has a list of any length, and counts who asks for its pages. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LongList {
  readonly url: string;
  /** How many pages were asked for. */
  readonly requests: () => number;
  close(): Promise<void>;
}

/**
 * Starts one with so many maintenance windows of some 500 bytes each. A page has a thousand, whatever is asked for, so that a
 * client within the documented rate has all of a long list at once. `breaksAt`: the page that is refused.
 */
export async function serveLongList(
  length: number,
  { perPage = 1000, breaksAt = 0 } = {},
): Promise<LongList> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    const page = Number(new URL(request.url ?? '', 'http://localhost').searchParams.get('page') ?? 1);
    response.setHeader('content-type', 'application/json');
    response.statusCode = page === breaksAt ? 403 : 200;
    const first = (page - 1) * perPage;
    const count = Math.max(0, Math.min(perPage, length - first));
    const rows = Array.from({ length: count }, (_, index) => windowText(first + index));
    response.end(page === breaksAt ? '{"message":"no more of this"}' : `[${rows.join(',')}]`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const times = {
  startsAt: '2026-11-22T01:00:00.000Z',
  endsAt: '2026-11-22T03:00:00.000Z',
  created_at: '2026-11-01T08:00:00.000Z',
};

const windowText = (id: number): string =>
  JSON.stringify({ id, name: `Window ${id}`, ...times, updated_at: null, description: 'x'.repeat(300) });
