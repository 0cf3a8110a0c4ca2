/** Lists the topics of `sonde help`. Their pages are lazy-loaded. */

/** Topic → one line, without a full stop. */
export const TOPICS = {
  options: 'Flags that every command accepts',
  input: 'Input values: flags, files, stdin and --set',
  formatting: 'Output formats: tables, JSON, jq and columns',
  credentials: 'Credentials: profiles, API keys and their precedence',
  'exit-codes': 'Exit codes: their meaning and the guarantees of a gate',
  environment: 'Environment variables that sonde reads',
  files: 'Files that sonde stores on this machine',
  locations: 'Locations that checks run from',
  assertions: 'Assertions on the response of a check',
} as const;

export type TopicName = keyof typeof TOPICS;

export const topicNames = Object.keys(TOPICS) as readonly TopicName[];

export const isTopic = (word: string): word is TopicName => Object.hasOwn(TOPICS, word);
