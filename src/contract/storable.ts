/** Decides which texts the service can store. */

// UTF-8 cannot encode a lone surrogate. NUL truncates strings in SQLite, and Postgres rejects it.
const UNSTORABLE = /[\0\p{Surrogate}]/u;

export const isUnstorable = (text: string): boolean => UNSTORABLE.test(text);

/** Says what is wrong with an unstorable text, after its name. */
export const UNSTORABLE_PROBLEM = 'contains a NUL character or an unpaired surrogate';
