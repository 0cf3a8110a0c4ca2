/** Bundles the modules that compute and render a difference, for lazy loading. */
export { toYaml } from '../../../terminal/lazy/yaml.ts';
export { diffYaml } from './diff.ts';
export { maskSecrets } from './mask-secrets.ts';
export { renderDiff } from './render-diff.ts';
