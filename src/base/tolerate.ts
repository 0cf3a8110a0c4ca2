/** Reads values of answers of deployments, which may lack fields of the contract. */

/** Returns what `read` computes; undefined if it needs a field that the answer lacks, or that has another type. */
export function tolerate<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Joins texts and values; undefined if a value is missing: ``textWith`${hostname}, port ${port}` ``. */
export function textWith(texts: TemplateStringsArray, ...values: readonly unknown[]): string | undefined {
  if (values.some((value) => value === undefined || value === null)) return undefined;
  return texts.map((text, index) => text + (index < values.length ? String(values[index]) : '')).join('');
}
