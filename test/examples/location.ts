/** A service with a private location, for the examples that start an agent. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type E2eService, startE2eService } from '../support/e2e.ts';
import { eventually } from '../support/eventually.ts';

export interface Location {
  readonly service: E2eService;
  /** A key for agents of the location. */
  readonly key: string;
}

/** Starts the service before the first test of a file, and stops it after the last. */
export function useLocation(): Location {
  const location = {} as { -readonly [Part in keyof Location]: Location[Part] };
  beforeAll(async () => {
    const service = await startE2eService();
    const body = { name: 'Cellar', slugName: 'cellar', icon: 'location' };
    const { id } = await service.make<{ id: string }>('POST /v1/private-locations', body);
    const { rawKey } = await service.make<{ rawKey: string }>(`POST /v1/private-locations/${id}/keys`);
    Object.assign(location, { service, key: rawKey });
  });
  afterAll(() => location.service.close());
  return location;
}

/** Waits until the URL answers with 200. */
export const untilOk = (url: string): Promise<void> =>
  eventually(async () => expect((await fetch(url)).status).toBe(200));
