/** Defines how to specify checks to run: by ID, by tags, or all. */
import { argumentList, flag, texts } from '../../../src/cli/framework/index.ts';

/** IDs of checks; not required with tags, --all or a body. */
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

/** Parses groups of tags. A check must match all tags of any group. */
export const tagGroups = (given: readonly string[]): string[][] =>
  given.map((group) => group.split(',').map((tag) => tag.trim()));
