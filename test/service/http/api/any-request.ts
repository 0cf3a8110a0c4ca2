/** Requests of every kind that a service must live through, whatever store it has. */
import fc from 'fast-check';
import { expect } from 'vitest';
import * as contract from '../../../../src/contract/index.ts';
import { ask, call } from '../../../support/call.ts';
import { runs } from '../../../support/sampled.ts';
import type { TestService } from '../../../support/service.ts';

const endpoints: readonly contract.Endpoint[] = Object.values(contract);

/** An id that is well formed and nobody's. */
export const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Path parameters of an endpoint that lead to nothing. */
export const paramsOf = (endpoint: contract.Endpoint) =>
  Object.fromEntries(
    Object.entries(endpoint.params.properties ?? {}).map(([name, schema]) => [
      name,
      schema.type === 'integer' ? 4711 : NOBODY,
    ]),
  );

/** The query parameters that an endpoint requires: each with its first value, and numbers as a time range that begins now. */
export const queryOf = ({ query }: contract.Endpoint): object =>
  Object.fromEntries(
    (query.required ?? []).map((name, index) => {
      const schema = query.properties?.[name];
      const number = schema?.type === 'number' ? Math.floor(Date.now() / 1000) + index : undefined;
      return [name, schema?.enum?.[0] ?? schema?.items?.enum?.[0] ?? number];
    }),
  );

const names = [...new Set(endpoints.flatMap(({ body }) => Object.keys(body?.properties ?? {})))];
const { anyBody } = fc.letrec((tie) => ({
  anyBody: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue(),
    fc.array(tie('anyBody'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, 'id', 'services', 'key', 'constructor'), tie('anyBody'), {
      maxKeys: 5,
    }),
  ),
}));

const RUNS = { numRuns: runs(60, 300) };

/** Sends JSON of any shape to everything that takes a body. */
export async function surviveBodies(service: TestService): Promise<void> {
  const own = { ...service, ...(await service.newAccount()) };
  const writing = endpoints.filter(({ body }) => body !== undefined);
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...writing), anyBody, async (endpoint, body) => {
      const { status } = await ask(own, endpoint, { params: paramsOf(endpoint), body });
      expect(status).toBeLessThan(500);
    }),
    RUNS,
  );
}

const anyValue = fc.oneof(
  fc.string(),
  fc.constantFrom('1e300', '-1', '0', '1', '99999999999', 'null', 'true', '{}', '{"gte":"0001-01-01"}'),
  fc.constantFrom('2026-11-21', '9999-12-31T23:59:60Z', 'PASSED', 'DNS', 'FINAL', NOBODY),
);
const anyQuery = fc
  .constantFrom(...endpoints.filter(({ paging }) => paging !== undefined))
  .chain((endpoint) =>
    fc.tuple(
      fc.constant(endpoint),
      fc.dictionary(fc.constantFrom(...Object.keys(endpoint.query.properties ?? {})), anyValue),
    ),
  );

/** Asks every list with any query, and with the largest numbers that the contract lets through. */
export async function surviveQueries(service: TestService): Promise<void> {
  const own = { ...service, ...(await service.newAccount()) };
  const check = await call(own, contract.createDnsCheck, {
    body: { name: 'd', request: { query: 'example.com' }, heartbeat: {}, script: '' },
  });
  const params = { checkId: check.id };
  const survives = async (endpoint: contract.Endpoint, query: object) => {
    const { status } = await ask(own, endpoint, { params, query });
    expect([endpoint.name, query, status < 500]).toEqual([endpoint.name, query, true]);
  };
  for (const far of [
    { page: 1e15 },
    { from: 1e300 },
    { to: 1e300 },
    { from: 0, to: 0 },
    { alertChannelId: 1e300 },
  ]) {
    for (const endpoint of endpoints.filter(({ paging }) => paging !== undefined))
      await survives(endpoint, far);
  }
  await fc.assert(
    fc.asyncProperty(anyQuery, ([endpoint, query]) => survives(endpoint, query)),
    RUNS,
  );
}
