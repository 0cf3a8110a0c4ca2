/** No route of the service takes an address that a slug could have: the slugs of all first parts are reserved. */
import type { FastifyInstance } from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { RESERVED_SLUGS } from '../../../../src/contract/limits.ts';
import { startTestService } from '../../../support/service.ts';

/** A page of status has the address `/status/SLUG`, and nothing is at `/status`: the most common slug stays free. */
const FREE = ['status'];

/** Returns the paths of all routes. The printed tree has four columns for each level, and a node continues its parent's text. */
function pathsOf(app: Pick<FastifyInstance, 'printRoutes'>): readonly string[] {
  const parents: string[] = [];
  return app
    .printRoutes({ commonPrefix: false })
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, indent = '', text = ''] = /^([│ ]*)[├└]── (\S+) \(/.exec(line) ?? [];
      const level = indent.length / 4;
      parents[level] = (parents[level - 1] ?? '') + text;
      return parents[level];
    });
}

const firstParts = (paths: readonly string[]) =>
  [...new Set(paths.map((path) => path.split('/')[1] ?? ''))].filter((part) => /^[^:*]/.test(part));

it('reserves the first part of every route', async () => {
  const test = await startTestService();
  onTestFinished(test.close);
  const paths = pathsOf(test.service.app);
  expect(paths).toEqual(
    expect.arrayContaining(['/status/:slug/subscribe/asked', '/sign-in/:token', '/health']),
  );
  expect(firstParts(paths).filter((part) => !RESERVED_SLUGS.includes(part))).toEqual(FREE);
  for (const slug of FREE) expect(paths).not.toContain(`/${slug}`);
});

it('finds a route whose first part begins with that of another', async () => {
  const { default: fastify } = await import('fastify');
  const app = fastify();
  for (const path of ['/ready', '/readyz', '/ready/:id', '/a/b', '/:slug']) app.get(path, async () => '');
  expect(firstParts(pathsOf(app)).sort()).toEqual(['a', 'ready', 'readyz']);
});
