/** Reads the filter of the check list from the query of a page, and renders links that keep it. */

import type { FastifyRequest } from 'fastify';
import type { CheckStatus } from '../../../store/check-lists.ts';
import { readQuery } from '../read-query.ts';

/** Checks per page of the list. */
export const PAGE_SIZE = 25;
/** The list counts no further checks. */
const MAX_PAGE = 400;
const MAX_LENGTH = 255;

export const STATUSES: readonly CheckStatus[] = ['failing', 'degraded', 'passing'];

export interface HomeFilter {
  readonly status: CheckStatus | undefined;
  readonly tag: string;
  readonly search: string;
  /** From 1. */
  readonly page: number;
}

/** Returns the filter of a request. Ignores values that cannot match. */
export function readFilter(request: FastifyRequest): HomeFilter {
  const query = readQuery(request);
  const text = (name: string) => (query.get(name) ?? '').replaceAll('\0', '').trim().slice(0, MAX_LENGTH);
  const page = Math.trunc(Number(text('page')));
  return {
    status: STATUSES.find((status) => status === text('status')),
    tag: text('tag'),
    search: text('search'),
    page: page >= 1 ? Math.min(page, MAX_PAGE) : 1,
  };
}

/** Returns the path of the home page with a filter. */
export function homePath({ status, tag, search, page }: Partial<HomeFilter>): string {
  const query = new URLSearchParams({
    ...(status ? { status } : {}),
    ...(tag ? { tag } : {}),
    ...(search ? { search } : {}),
    ...(page !== undefined && page > 1 ? { page: String(page) } : {}),
  }).toString();
  return query === '' ? '/' : `/?${query}`;
}
