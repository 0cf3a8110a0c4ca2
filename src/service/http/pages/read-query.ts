/** Reads the query of a request as it was sent: a repeated parameter has its first value. */
import type { FastifyRequest } from 'fastify';

export const readQuery = ({ url }: Pick<FastifyRequest, 'url'>): URLSearchParams =>
  new URLSearchParams(url.split('?', 2)[1] ?? '');
