/** Pins the wall clock of the process that requires it to SONDE_TEST_NOW (ms since the epoch): a screen that is kept tells the same "2h ago" each time. */
const now = Number(process.env.SONDE_TEST_NOW);
const Real = Date;
globalThis.Date = class StillDate extends Real {
  constructor(...parts) {
    super(...(parts.length === 0 ? [now] : parts));
  }
  static now() {
    return now;
  }
};
