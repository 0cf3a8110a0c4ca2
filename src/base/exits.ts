/** The exit codes of sonde, by name: a contract with every script that reads them. What each means is told by `sonde help exit-codes`. */
export const EXIT = {
  done: 0,
  badVerdict: 1,
  usage: 2,
  refused: 3,
  credentials: 4,
  notFound: 5,
  unreachable: 6,
  noVerdict: 7,
  cancelled: 8,
  declined: 9,
  bug: 70,
  output: 74,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

/** One of the codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
