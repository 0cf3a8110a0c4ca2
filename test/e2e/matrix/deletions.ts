/** Endpoints 13 to 18: what is deleted, and is gone. */
import { expect } from 'vitest';
import { fresh, type Made, makeCheck, NO_NUMBER, NOBODY, type World } from '../world.ts';
import type { Row } from './row.ts';

interface Deletion {
  readonly number: number;
  /** `delete <noun>` */
  readonly noun: string;
  /** Where it stands: what is deleted there can be read there before. */
  readonly at: string;
  /** The path parameter, as a violation names it. */
  readonly param: string;
  readonly arrange: (world: World) => Promise<Made>;
  /** An id that no path can hold, or that is of the wrong form. */
  readonly bad: string;
  /** What is said of it. */
  readonly says: string;
  readonly missing: string;
}

const deletion = ({ number, noun, at, param, arrange, bad, says, missing }: Deletion): Row => ({
  number,
  async arrange(world) {
    const made = await arrange(world);
    await world.service.make(`GET ${at}${made.id}`);
    return made;
  },
  command: ({ id }) => ['delete', noun, id, '--yes'],
  silent: true,
  shows: ({ id }) => [id],
  async stored({ service }, { id }, printed) {
    expect(String((printed as { id: unknown }).id)).toBe(id);
    expect(printed).toMatchObject({ deleted: true });
    expect((await service.api(`GET ${at}${id}`)).status).toBe(404);
  },
  bad: { args: ['delete', noun, bad, '--yes'], says: [bad, says] },
  raw: { path: `${at}a%00b?nonsense=true`, violations: [param, 'nonsense'] },
  missing: { id: missing },
});

const groupTrigger = deletion({
  ...{ number: 13, noun: 'group-trigger', at: '/v1/triggers/check-groups/', param: 'groupId' },
  ...{ bad: '..', says: 'id', missing: NO_NUMBER },
  async arrange({ service }) {
    const name = fresh('group');
    const { id } = await service.make<{ id: number }>('POST /v1/check-groups', { name });
    await service.make(`POST /v1/triggers/check-groups/${id}`);
    return { id: String(id), name };
  },
});

const checkTrigger = deletion({
  ...{ number: 14, noun: 'check-trigger', at: '/v1/triggers/checks/', param: 'checkId' },
  ...{ bad: '..', says: 'would change the path of the request', missing: NOBODY },
  async arrange(world) {
    const check = await makeCheck(world);
    await world.service.make(`POST /v1/triggers/checks/${check.id}`);
    return check;
  },
});

const dashboard = deletion({
  ...{ number: 15, noun: 'dashboard', at: '/v1/dashboards/', param: 'dashboardId' },
  ...{ bad: '.', says: 'would change the path of the request', missing: NOBODY },
  async arrange({ service }) {
    const name = fresh('dashboard');
    const body = { header: name, customUrl: name };
    const { dashboardId } = await service.make<{ dashboardId: string }>('POST /v1/dashboards', body);
    return { id: dashboardId, name };
  },
});

const privateLocation = deletion({
  ...{ number: 16, noun: 'private-location', at: '/v1/private-locations/', param: 'id' },
  ...{ bad: '..', says: 'would change the path of the request', missing: NOBODY },
  async arrange({ service }) {
    const name = fresh('location');
    const body = { name, slugName: name };
    const { id } = await service.make<{ id: string }>('POST /v1/private-locations', body);
    return { id, name };
  },
});

const variable = deletion({
  ...{ number: 17, noun: 'variable', at: '/v1/variables/', param: 'key' },
  ...{ bad: '..', says: 'would change the path of the request', missing: 'NO_SUCH_KEY' },
  async arrange({ service }) {
    const key = fresh('KEY').toUpperCase().replaceAll('-', '_');
    await service.make('POST /v1/variables', { key, value: 'v' });
    return { id: key, name: key };
  },
});

const snippet = deletion({
  ...{ number: 18, noun: 'snippet', at: '/v1/snippets/', param: 'id' },
  ...{ bad: '..', says: 'id', missing: NO_NUMBER },
  async arrange({ service }) {
    const name = fresh('snippet');
    const { id } = await service.make<{ id: number }>('POST /v1/snippets', { name, script: '// nothing' });
    return { id: String(id), name };
  },
});

export const deletions: readonly Row[] = [
  ...[groupTrigger, checkTrigger, dashboard, privateLocation, variable, snippet],
];
