/** `sonde service start --deny-private-networks`: no check and no webhook reaches this machine, and it says so. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';

interface Result {
  readonly hasFailures: boolean;
  readonly hasErrors: boolean;
  readonly errors: readonly string[];
}

it('denies what a check names to be asked, as an error of its own, and says so at its start and in /health', async () => {
  const server = createSocket('udp4').bind(0, '127.0.0.1');
  await once(server, 'listening');
  let asked = 0;
  server.on('message', () => {
    asked += 1;
  });
  const service = await startE2eService('--deny-private-networks');
  try {
    expect((await service.api('GET /health')).body).toMatchObject({ deniesPrivateNetworks: true });
    await eventually(() => expect(service.log()).toContain('Private networks are denied'));
    const { port } = server.address();
    for (const nameServer of ['127.0.0.1', 'localhost', '::ffff:127.0.0.1', '169.254.169.254']) {
      const { id } = await service.make<{ id: string }>('POST /v1/checks/dns', {
        ...{ name: nameServer, retryStrategy: null, doubleCheck: false, heartbeat: {}, script: '' },
        request: { query: 'a.example', recordType: 'A', nameServer, port, protocol: 'UDP', assertions: [] },
      });
      const { sessions } = await service.make<{ sessions: { checkSessionId: string }[] }>(
        'POST /v2/check-sessions/trigger',
        { target: { checkId: [id] } },
      );
      await service.api(`GET /v2/check-sessions/${sessions[0]?.checkSessionId}/completion?maxWaitSeconds=30`);
      const { entries } = await service.make<{ entries: Result[] }>(`GET /v2/check-results/${id}?limit=1`);
      expect(entries[0]).toMatchObject({ hasFailures: false, hasErrors: true });
      expect(entries[0]?.errors[0]).toMatch(/is not allowed to contact .* is not a public address/);
    }
    expect(asked).toBe(0);
  } finally {
    await service.close();
    server.close();
  }
});
