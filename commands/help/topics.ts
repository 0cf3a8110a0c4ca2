/** The topics of `sonde help`: their names and what each is about. Their pages are loaded when one is read. */

/** Topic → one line, without a full stop. */
export const TOPICS = {
  options: 'What every command takes',
  input: 'How values are given: flags, files, stdin, --set',
  formatting: 'How results are printed: tables, JSON, jq, columns',
  credentials: 'Profiles and keys: which one is used, and where it comes from',
  'exit-codes': 'What a command ends with, and what a gate promises',
  environment: 'The variables that sonde reads',
  files: 'What sonde keeps on this machine, and where',
  locations: 'Where checks run',
  assertions: 'What must hold of an answer',
} as const;

export type TopicName = keyof typeof TOPICS;

export const topicNames = Object.keys(TOPICS) as readonly TopicName[];

export const isTopic = (word: string): word is TopicName => Object.hasOwn(TOPICS, word);
