/** Schemas of batches: several requests in one (docs/gaps.md). */
import { CHECK_TYPE_ROWS, endpointNamesOf } from '../check-types.ts';
import { allOptional, anyObject, array, closed, integer, oneOf, open } from '../schema.ts';

export const MAX_BATCH = 100;

/** Operations on resources, which a transaction can contain. */
const OPERATIONS = [
  ...['AlertChannel', 'Dashboard', 'MaintenanceWindow', 'PrivateLocation', 'Service', 'Snippet'],
  ...['StatusPage', 'Variable'],
].flatMap((noun) => [`create${noun}`, `update${noun}`, `delete${noun}`]);

const batchRequest = closed({
  operation: oneOf(
    [
      ...OPERATIONS,
      ...['createCheckGroup', 'updateCheckGroupV2', 'deleteCheckGroup', 'deleteCheck'],
      ...CHECK_TYPE_ROWS.flatMap(([, row]) => Object.values(endpointNamesOf(row))),
    ],
    'operationId of the endpoint in this document',
  ),
  ...allOptional({
    params: anyObject('Parameters of the path'),
    query: anyObject('Parameters of the query'),
    body: anyObject('Body of the request'),
  }),
});
export const batchBody = closed(
  { requests: array(batchRequest, 'Requests, in order', { minItems: 1, maxItems: MAX_BATCH }) },
  { title: 'BatchRequest' },
);
export const batchAnswer = open(
  {
    responses: array(
      open({
        status: integer('Status of the response'),
        ...allOptional({ body: anyObject('Body of the response') }),
      }),
      'Responses, in the order of the requests',
    ),
  },
  { title: 'Batch' },
);
