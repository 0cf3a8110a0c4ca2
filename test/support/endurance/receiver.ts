/** Where alerts arrive: which, under which key, and which came again although nothing had happened in between. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Receiver {
  readonly url: string;
  readonly received: () => number;
  /** The sender was killed, its disk full or its answer may be lost: what comes again is no mistake of its. */
  disturbed(): void;
  /** Alerts that came twice; empty: none did. */
  readonly duplicates: readonly string[];
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const byKey = new Map<string, { disturbances: number; times: number }>();
  const byBody = new Map<string, string>();
  const duplicates: string[] = [];
  let [received, disturbances] = [0, 0];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      received += 1;
      const key = String(request.headers['idempotency-key']);
      const body = Buffer.concat(chunks).toString();
      const known = byKey.get(key);
      if (known !== undefined && known.disturbances === disturbances)
        duplicates.push(`key ${key} came again`);
      byKey.set(key, { disturbances, times: (known?.times ?? 0) + 1 });
      const other = byBody.get(body);
      if (other !== undefined && other !== key)
        duplicates.push(`keys ${other} and ${key} say the same: ${body}`);
      byBody.set(body, key);
      response.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/alerts`,
    received: () => received,
    disturbed() {
      disturbances += 1;
    },
    duplicates,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
