/** Handles batches: runs several requests in one transaction. If one of them is refused, none has an effect. */
import { withDefaults } from '../../../contract/defaults.ts';
import type { Endpoint } from '../../../contract/index.ts';
import * as contract from '../../../contract/index.ts';
import { violationsOf } from '../../../contract/validate.ts';
import { callWithin, contextWithin, nameInRefusal, READ_COMMITTED } from './context-within.ts';
import { proofsForTransaction } from './custom-domain.ts';
import type {
  Call,
  Contract,
  EndpointName,
  Handler,
  HandlerContext,
  Handlers,
  ResourceHandlers,
} from './handler.ts';
import { assertValid } from './problem.ts';

/** The endpoints of the contract by name. */
const ENDPOINTS: Contract = { ...contract };

type BatchCall = Call<typeof contract.runBatch>;
type BatchRequest = BatchCall['body']['requests'][number];

export function batchHandlers(
  context: HandlerContext,
  createResourceHandlers: (context: HandlerContext) => ResourceHandlers,
): Pick<Handlers, 'runBatch'> {
  async function runOne(handlers: ResourceHandlers, call: BatchCall, request: BatchRequest) {
    const { accountId, header } = call;
    const name = request.operation as EndpointName;
    const endpoint: Endpoint = ENDPOINTS[name];
    const body = endpoint.body ? call.readBody(endpoint, request.body ?? {}) : undefined;
    const { params = {}, query = {} } = request;
    assertValid(violationsOf(endpoint, { params, query, body }, context.clock.now()));
    const parts = { accountId, header, params, query: withDefaults(endpoint.query, query), body };
    const handler = handlers[name as keyof ResourceHandlers] as Handler<Endpoint>;
    const answer: unknown = await handler(callWithin<Endpoint>(endpoint, parts as never));
    return { status: endpoint.success, ...(answer === undefined ? {} : { body: answer as object }) };
  }

  return {
    async runBatch(call) {
      const checkIds = new Set<string>();
      const bodies = call.body.requests.map(({ body }) => body);
      const proofs = await proofsForTransaction(context, call.accountId, bodies);
      const responses = await context.store.transaction(async (tx) => {
        checkIds.clear();
        const within = contextWithin(context, tx, (id) => checkIds.add(id), proofs);
        const handlers = createResourceHandlers(within);
        const answers: Awaited<ReturnType<typeof runOne>>[] = [];
        for (const [index, request] of call.body.requests.entries()) {
          const { operation } = request;
          const run = () => runOne(handlers, call, request);
          const attributes = { request: { index, operation } };
          answers.push(await nameInRefusal(`requests[${index}] (${operation})`, attributes, run));
        }
        return answers;
      }, READ_COMMITTED);
      await context.engine.rescheduleChecks([...checkIds]);
      return { responses } as contract.ResponseOf<typeof contract.runBatch>;
    },
  };
}
