/** Private locations are named by ID or slug, wherever the API takes their ID. */
import { expect, it, onTestFinished } from 'vitest';
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
