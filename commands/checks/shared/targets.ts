/** How checks that are to run are named on the command line: by their ids, by tags, or all of them. */
import { argumentList, flag, texts } from '../../../src/cli/framework/index.ts';

/** The ids: what names checks otherwise, or a body, leaves them out. */
export const targetIds = argumentList('IDs of the checks', {
  placeholder: 'check-id',
  required: false,
  of: 'check',
  unless: ['tag', 'all', 'file', 'set'],
});

export const targetOptions = {
  tag: texts('Checks with all of these tags; repeat for alternatives; !tag excludes a tag', {
    placeholder: 'a,b',
  }),
  all: flag('All activated checks'),
};

/** The tags as the API takes them: within a group all must match, of several groups any. */
export const tagGroups = (given: readonly string[]): string[][] =>
  given.map((group) => group.split(',').map((tag) => tag.trim()));
