/** `sonde incidents resolve`: says of incidents that they are over. */
import { EXIT } from '../../src/base/exits.ts';
import { type BodyOf, updateIncident } from '../../src/contract/index.ts';
import { argumentList, defineCommand, flag, text } from '../kernel/index.ts';
import { changeAll } from '../shared/bulk/change-all.ts';
import { incidents } from '../shared/resources/incidents.ts';

export const command = defineCommand({
  name: 'incidents resolve',
  summary: 'Say that incidents are over',
  endpoint: updateIncident,
  flags: { body: 'own' },
  arguments: {
    ids: argumentList('One or more; - reads them from stdin, one a line', {
      param: 'id',
      of: 'incident',
      placeholder: 'id',
    }),
  },
  options: {
    description: text('What is said of it', { standard: 'This incident is resolved.' }),
    notify: flag('Tell the subscribers of its pages'),
  },
  examples: [
    { line: 'incidents resolve 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e', does: 'ends one' },
    {
      line: 'incidents resolve 8b1d4f60-2c3e-4a5b-8d7f-9e0a1b2c3d4e --description "The release was taken back." --notify',
      does: 'says why, and tells subscribers',
    },
  ],
  exits: [[EXIT.declined, 'a person answered no; nothing was changed']],
  makeBody(_given, { options: { description, notify } }) {
    const body: BodyOf<typeof updateIncident> = {
      incidentUpdates: [{ description, status: 'RESOLVED', ...(notify ? { notifySubscribers: true } : {}) }],
    };
    return body;
  },
  run: (deps, line) =>
    changeAll(deps, line, {
      endpoint: updateIncident,
      resource: incidents,
      look: 'incident',
      words: { verb: 'Resolve', doing: 'Resolving', done: 'resolved' },
    }),
});
