/** `sonde incidents resolve`: resolves incidents. */
import { EXIT } from '../../src/base/exits.ts';
import { argumentList, defineCommand, flag, text } from '../../src/cli/framework/index.ts';
import { changeAll } from '../../src/cli/resource-commands/change-all.ts';
import { addIncidentUpdate } from '../../src/cli/resources/incident-updates.ts';
import { incidents } from '../../src/cli/resources/incidents.ts';
import { type BodyOf, createIncidentUpdate } from '../../src/contract/index.ts';

export const command = defineCommand({
  name: 'incidents resolve',
  summary: 'Resolve incidents',
  endpoint: createIncidentUpdate,
  flags: { body: 'own' },
  arguments: {
    ids: argumentList('IDs of the incidents; - reads them from stdin', {
      param: 'id',
      of: 'incident',
      placeholder: 'id',
    }),
  },
  options: {
    description: text('Text of the final update', { default: 'This incident is resolved.' }),
    notify: flag('Notify the subscribers of the pages'),
  },
  examples: [
    { line: 'incidents resolve 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e', does: 'Resolve an incident' },
    {
      line: 'incidents resolve 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --description "The release was rolled back." --notify',
      does: 'Resolve an incident with an explanation, and notify subscribers',
    },
  ],
  exits: [[EXIT.declined, 'confirmation declined; nothing was changed']],
  makeBody(_given, { options: { description, notify } }) {
    const body: BodyOf<typeof createIncidentUpdate> = {
      description,
      status: 'RESOLVED',
      ...(notify ? { notifySubscribers: true } : {}),
    };
    return body;
  },
  run: (deps, line) =>
    changeAll(deps, line, {
      send: ({ params: { id }, body: { description, notifySubscribers } }, api) => {
        const update = {
          description,
          status: 'RESOLVED' as const,
          ...(notifySubscribers === undefined ? {} : { notifySubscribers }),
        };
        return addIncidentUpdate(api, id, update, deps.signal);
      },
      resource: incidents,
      labels: { verb: 'Resolve', doing: 'Resolving', done: 'resolved' },
    }),
});
