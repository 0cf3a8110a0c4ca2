/** Private locations are named by ID or slug, wherever the API takes their ID. */
import { expect, it, onTestFinished } from 'vitest';
import { presentMetrics } from '../../../../src/service/http/api/location-metrics.ts';
import { byHand } from '../../../support/by-hand.ts';
import { send } from '../../../support/send.ts';
import { startTestService } from '../../../support/service.ts';

it('are read, changed, given keys and deleted by their slug', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  const made = await send(service, 'POST /v1/private-locations', { name: 'Cellar', slugName: 'cellar' });
  const { id } = made.body as { id: string };
  const path = '/v1/private-locations/cellar';
  expect((await send(service, `GET ${path}`)).body).toMatchObject({ id, slugName: 'cellar', muted: false });
  expect((await send(service, `PUT ${path}`, { muted: true })).body).toMatchObject({ id, muted: true });
  const key = await send(service, `POST ${path}/keys`);
  expect(key.status).toBe(201);
  const { id: keyId } = key.body as { id: string };
  expect((await send(service, `DELETE ${path}/keys/${keyId}`)).status).toBe(204);
  const other = { ...service, ...(await service.newAccount()) };
  expect((await send(other, `GET ${path}`)).status).toBe(404);
  expect((await send(service, `DELETE ${path}`)).status).toBe(204);
  expect((await send(service, `GET /v1/private-locations/${id}`)).status).toBe(404);
});

it('are listed without pages: a client that knows none gets all of them', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  for (let index = 0; index < 12; index++)
    await send(service, 'POST /v1/private-locations', { name: 'Cellar', slugName: `cellar-${index}` });
  const { body } = await send(service, 'GET /v1/private-locations');
  expect(body).toHaveLength(12);
});

it('have the queue of their check runs as metrics', async () => {
  const service = await startTestService();
  onTestFinished(() => service.close());
  await send(service, 'POST /v1/private-locations', { name: 'Cellar', slugName: 'cellar' });
  const dns = { name: 'waits', request: { query: 'example.org' }, heartbeat: {}, script: '', ...byHand() };
  const place = { locations: null, privateLocations: ['cellar'] };
  const { id } = (await send(service, 'POST /v1/checks/dns', { ...dns, ...place })).body as { id: string };
  await send(service, 'POST /v2/check-sessions/trigger', { target: { checkId: [id] } });
  const hour = Math.ceil(Date.now() / 3_600_000) * 3600;
  for (const minutes of [1, 2]) await service.store.locationQueues.sample((hour + minutes * 60) * 1000);
  const metrics = async (from: number, to: number, of = service) =>
    send(of, `GET /v1/private-locations/cellar/metrics?from=${from}&to=${to}`);
  const { body } = await metrics(hour, hour + 120);
  expect(body).toMatchObject({ timestamps: [new Date((hour + 60) * 1000).toISOString()], queueSize: [1] });
  const { oldestScheduledCheckRun: ages } = (await metrics(hour, hour + 600)).body as {
    oldestScheduledCheckRun: [number, number];
  };
  expect(ages[1] - ages[0]).toBe(60);
  expect((await metrics(hour, hour)).status).toBe(400);
  expect((await metrics(hour - 16 * 86_400, hour)).status).toBe(400);
  expect((await metrics(hour, hour + 600, { ...service, ...(await service.newAccount()) })).status).toBe(404);
});

it('have a point of metrics every ten minutes in a window of more than a day', () => {
  const samples = [3, 5, 4].map((queueSize, minute) => ({
    ...{ queueSize, oldestMs: minute * 1500, sampledAt: (minute + 8) * 60_000 },
  }));
  expect(presentMetrics(samples, { from: 0, to: 86_400_001 })).toEqual({
    timestamps: ['1970-01-01T00:00:00.000Z', '1970-01-01T00:10:00.000Z'],
    queueSize: [5, 4],
    oldestScheduledCheckRun: [1.5, 3],
  });
});
