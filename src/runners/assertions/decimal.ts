/** Compares numbers by their decimal digits, where JavaScript cannot tell them apart. */

const DECIMAL = /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i;
/** Longer ones, and those with larger exponents, are not written out. */
const MAX_DIGITS = 2000;

/** Below 0: the first is less. What is no number, or too long to write out, is equal to any. */
export function compareDecimals(left: string, right: string): number {
  const one = toScaledInteger(left);
  const other = toScaledInteger(right);
  if (one === undefined || other === undefined) return 0;
  return one < other ? -1 : one > other ? 1 : 0;
}

/** The number as an integer, with MOST_DIGITS places for its fraction. */
function toScaledInteger(text: string): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? [];
  const zeros = MAX_DIGITS + Number(exponent) - fraction.length;
  if (sign === undefined || text.length > MAX_DIGITS || zeros < 0 || zeros > 2 * MAX_DIGITS) return undefined;
  const digits = BigInt(`${whole}${fraction}${'0'.repeat(zeros)}`);
  return sign === '-' ? -digits : digits;
}
