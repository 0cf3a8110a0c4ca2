/** What shows a change and keeps what stood before it. Loaded only by commands that replace something. */
export { toYaml } from '../../../terminal/lazy/yaml.ts';
export { diffYaml } from './diff.ts';
export { maskSecrets } from './mask-secrets.ts';
export { renderDiff } from './render-diff.ts';
