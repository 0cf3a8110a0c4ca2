/** Finds the checks that had to run and did not. */

/**
 * Returns the distinct IDs that are not among the check IDs of what ran. What ran without an ID counts for any of them: some
 * deployments do not return check IDs.
 */
export function withoutCheck(named: readonly string[], ran: readonly unknown[]): readonly string[] {
  const ids = new Set(ran.map((id) => String(id).toLowerCase()));
  const unnamed = ran.filter((id) => typeof id !== 'string').length;
  return [...new Set(named.map((id) => id.toLowerCase()))].filter((id) => !ids.has(id)).slice(unnamed);
}
