/** Which checks a request means. Pure. */
import type { Target } from './interface.ts';

/** Whether tags match: any of the groups, each with all of its tags; `!tag` means without it. */
function matchesTags(tags: readonly string[], groups: readonly (readonly string[])[]): boolean {
  return groups.some((group) =>
    group.every((tag) => (tag.startsWith('!') ? !tags.includes(tag.slice(1)) : tags.includes(tag))),
  );
}

/** Whether a check is meant: by its id and by its tags, where the target names them. */
export function isMeant(
  check: { readonly id: string; readonly tags: readonly string[] },
  target: Target | undefined,
): boolean {
  if (target?.checkId !== undefined && !target.checkId.includes(check.id)) return false;
  return target?.matchTags === undefined || matchesTags(check.tags, target.matchTags);
}
