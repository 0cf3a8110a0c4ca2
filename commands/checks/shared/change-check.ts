/** Changes fields of a check of any type. */
import { mayLackEndpoint } from '../../../src/base/errors.ts';
import type { JsonObject } from '../../../src/base/object.ts';
import { toRequestBody } from '../../../src/cli/edit/to-request.ts';
import type { Deps, Invocation } from '../../../src/cli/framework/index.ts';
import { sendUpdate } from '../../../src/cli/resource-commands/update.ts';
import type { Check } from '../../../src/cli/resources/check-status.ts';
import { updateEndpointsOf } from '../../../src/cli/resources/update-check-endpoint.ts';
import type { Client } from '../../../src/client/index.ts';
import { withSentValues } from '../../../src/contract/defaults.ts';
import { type Endpoint, getCheck, type Input, updateCheck } from '../../../src/contract/index.ts';

/**
 * Changes fields of a check and returns it. Reads the check and sends it whole, because deployments reset omitted fields; then
 * reads it again, because the answer lacks the status and the next run. With
 * `--yes`, sends only the changes if the deployment does not offer the read. Rejects as the client does.
 */
export async function changeCheck(
  deps: Deps,
  { globals }: Pick<Invocation, 'globals'>,
  api: Client,
  { id, changes }: { readonly id: string; readonly changes: JsonObject },
): Promise<Check> {
  const params = { id };
  const { signal, terminal } = deps;
  const read = async () => (await api.call(getCheck, { params }, { signal })).body;
  try {
    const check = await read();
    const target = updateEndpointsOf(check);
    const schema = target.endpoint.body ?? {};
    const body = { ...(toRequestBody(schema, check) as JsonObject), ...changes };
    const sent = { params, body: withSentValues(schema, body) } as unknown as Input<Endpoint>;
    const answer = (await sendUpdate(deps, api, target, sent)) as Check;
    return await read().catch(() => answer);
  } catch (error) {
    const isUnread = mayLackEndpoint(error) && error.endpoint === `${getCheck.method} ${getCheck.path}`;
    if (!isUnread || !globals.yes) throw error;
    await terminal.warn(
      `check ${id}: this deployment does not offer ${error.endpoint} and may reset other settings`,
    );
    return (await api.call(updateCheck, { params, body: changes }, { signal })).body;
  }
}
