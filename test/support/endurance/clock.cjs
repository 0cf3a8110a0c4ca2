/** Required by a service whose clock tests set: it is off the machine's clock by the seconds in the file that CLOCK_FILE names. */
const { readFileSync } = require('node:fs');

/** The file is read this often at most, in ms. */
const READ_MS = 20;

const file = process.env.CLOCK_FILE;
const machine = Date.now;
let aheadMs = 0;
let readAt = -READ_MS;

Date.now = () => {
  const at = performance.now();
  if (at - readAt >= READ_MS) {
    readAt = at;
    aheadMs = Number(readFileSync(file, 'utf8')) * 1000;
  }
  return machine() + aheadMs;
};

globalThis.Date = new Proxy(Date, {
  apply: () => new Date().toString(),
  construct: (target, given, newTarget) =>
    Reflect.construct(target, given.length === 0 ? [Date.now()] : given, newTarget),
});
