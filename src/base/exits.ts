/** Lists the exit codes of sonde, which scripts rely on. `sonde help exit-codes` explains them. */
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
  changesPending: 10,
  locked: 11,
  bug: 70,
  output: 74,
  hungUp: 129,
  interrupted: 130,
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
