/** Endpoints that create and update a check of each type, from the table of types. */
import { CHECK_TYPE_ROWS, endpointNamesOf } from '../check-types.ts';
import type { EndpointDefinition } from '../endpoint.ts';
import { uuid } from '../schema.ts';
import { autoAssignAlerts, define } from './define.ts';

/** The endpoints by name. */
export const checkTypeEndpoints: Readonly<Record<string, EndpointDefinition>> = Object.fromEntries(
  CHECK_TYPE_ROWS.flatMap(([, row]) => {
    const { path, article, label, schedule, schemas, rules, number } = row;
    const { create, update } = endpointNamesOf(row);
    return [
      define({
        ...(number === undefined ? {} : { number }),
        name: create,
        method: 'POST',
        path: `/v1/checks/${path}`,
        summary: `Create ${article} ${label} check`,
        resource: 'checks',
        query: autoAssignAlerts,
        body: schemas.body,
        response: schemas.answer,
        status: 201,
        rules: schedule === 'uptime' ? ['frequencyOffset', ...rules] : rules,
      }),
      define({
        name: update,
        method: 'PUT',
        path: `/v1/checks/${path}/{id}`,
        summary: `Update ${article} ${label} check`,
        resource: 'checks',
        params: { id: uuid('ID of the check') },
        body: schemas.change,
        response: schemas.answer,
        rules,
      }),
    ].map((endpoint) => [endpoint.name, endpoint as EndpointDefinition]);
  }),
);
