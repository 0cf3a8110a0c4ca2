/** Which memory cgroup a process is in, as different systems write it. */
import { expect, it } from 'vitest';
import { findOwnCgroup } from '../../src/sandbox/cell/cgroup.ts';

const mount = (root: string, at: string, type: string, options: string) =>
  `36 25 0:31 ${root} ${at} rw,nosuid - ${type} cgroup ${options}`;

it('is found where each controller has a tree of its own, by its path in what is mounted', () => {
  const mountinfo = [
    mount('/', '/sys/fs/cgroup/cpu', 'cgroup', 'rw,cpu'),
    mount('/docker/1f', '/sys/fs/cgroup/memory', 'cgroup', 'rw,memory'),
  ].join('\n');
  const cgroups = '4:cpu:/docker/1f\n3:memory:/docker/1f/sub\n0::/\n';
  expect(findOwnCgroup(cgroups, mountinfo)).toEqual({ version: 1, folder: '/sys/fs/cgroup/memory/sub' });
});

it('is none where memory is not among what the one tree controls, or nothing is mounted', () => {
  const mountinfo = mount('/', '/nonexistent', 'cgroup2', 'rw');
  expect(findOwnCgroup('0::/user.slice\n', mountinfo)).toBeUndefined();
  expect(findOwnCgroup('3:memory:/a\n0::/\n', '')).toBeUndefined();
  expect(findOwnCgroup('', '')).toBeUndefined();
});
