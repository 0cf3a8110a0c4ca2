/** Limits of texts and lists where the specification has none, so that a request cannot store more than a list can show. */
import type { Notes } from './schema.ts';

const LONGEST_NAME = 255;
const LONGEST_TEXT = 10_000;
/** Linux passes at most 128 KiB of one environment variable to a process. */
const LONGEST_VALUE = 65_536;
const MOST_TAGS = 100;

export const NAME_LIMIT: Notes = { maxLength: LONGEST_NAME, 'x-gaps': ['maxLength'] };
/** A character that is seen. */
const NOT_BLANK = '[^\\s\\u00ad\\u180e\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff]';
/** Names of resources, by which people find them. The client refuses an empty or blank one, too: it is a mistake everywhere. */
export const RESOURCE_NAME_LIMIT: Notes = { ...NAME_LIMIT, minLength: 1, pattern: NOT_BLANK };
/** Colors of status pages. Their case has no meaning. */
export const COLOR_PATTERN = '^#(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$';
/** Paths of folders of a project: relative, without `..`. */
export const FOLDER_PATTERN = '^(?!/|(?:[^\\u0000]*/)?\\.\\.(?:/|$))[^\\u0000\\\\]*$';
/** Keys of variables, which scripts read from the environment. */
export const VARIABLE_KEY_LIMIT: Notes = { ...NAME_LIMIT, minLength: 1, pattern: '^[A-Za-z_][A-Za-z0-9_]*$' };
export const TAGS_LIMIT: Notes = { maxItems: MOST_TAGS, 'x-gaps': ['maxItems'] };
export const TEXT_LIMIT: Notes = { maxLength: LONGEST_TEXT, 'x-gaps': ['maxLength'] };
export const VALUE_LIMIT: Notes = { maxLength: LONGEST_VALUE, 'x-gaps': ['maxLength'] };
/** Logical IDs of projects and their resources. */
export const LOGICAL_ID_LIMIT: Notes = { minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_/#.-]+$' };

/** First parts of paths that the service uses, and names that browsers and other software ask every host for. */
export const RESERVED_SLUGS = [
  ...[
    '.well-known',
    'access',
    'api',
    'badges',
    'check-groups',
    'check-sessions',
    'checks',
    'confirm',
    'dashboards',
  ],
  ...[
    'favicon.ico',
    'feed.atom',
    'health',
    'incidents',
    'integrations',
    'local',
    'metrics',
    'monitoring.schema.json',
    'next',
    'openapi.json',
  ],
  ...['ping', 'ready', 'robots.txt', 'sign-in', 'sign-out', 'status.json', 'subscribe', 'test-sessions'],
  ...['time-zone', 'unsubscribe', 'v1', 'v2', 'v3'],
];
/** Characters that nobody can see or that turn the text around, and separators of paths. */
const UNSAFE =
  '\\u0000-\\u001f\\u007f-\\u00a0\\u00ad\\u061c\\u180e\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff/\\\\';
/** Returns the pattern of slugs of these characters. Browsers resolve `.` and `..`. */
const slugPattern = (characters: string): string => {
  const names = ['.', '..', ...RESERVED_SLUGS].map((name) => name.replaceAll('.', '\\.'));
  return `^(?!(?:${names.join('|')})$)${characters}+$`;
};
/** Slugs of pages, which are parts of addresses. */
export const SLUG_LIMIT: Notes = {
  maxLength: LONGEST_NAME,
  pattern: slugPattern(`(?! |.* $)[^${UNSAFE}]`),
  'x-gaps': ['maxLength', 'pattern'],
};
export const LOCATION_SLUG_LIMIT: Notes = {
  maxLength: 30,
  pattern: slugPattern('[A-Za-z0-9-]'),
};
