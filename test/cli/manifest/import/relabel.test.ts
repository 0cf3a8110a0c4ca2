import { describe, expect, it } from 'vitest';
import { relabel } from '../../../../src/cli/manifest/import/blackbox/relabel.ts';

const LABELS = { __address__: 'shop.example.com', __meta_kind: 'web', env: 'prod' };

describe('relabeling', () => {
  it('matches a whole value, also of several labels', () => {
    const rule = { source_labels: ['env', '__meta_kind'], action: 'keep' };
    expect(relabel(LABELS, [{ ...rule, regex: 'prod;web' }])).toEqual(LABELS);
    expect(relabel(LABELS, [{ ...rule, regex: 'prod' }])).toBeUndefined();
    expect(relabel(LABELS, [{ ...rule, regex: 'prod/web', separator: '/' }])).toEqual(LABELS);
    expect(relabel(LABELS, [{ ...rule, regex: 'web', action: 'drop' }])).toEqual(LABELS);
    expect(relabel(LABELS, [{ ...rule, regex: 'x|prod;web', action: 'drop' }])).toBeUndefined();
  });

  it('replaces labels in order', () => {
    const rules = [
      { source_labels: ['__address__'], regex: '([^.]+)\\..*', target_label: 'name', replacement: '$1-$1' },
      { source_labels: ['name'], action: 'uppercase', target_label: 'upper' },
      { source_labels: ['name'], regex: 'shop', target_label: 'name', replacement: 'never' },
      { source_labels: ['none'], target_label: 'env' },
    ];
    expect(relabel(LABELS, rules)).toEqual({
      __address__: 'shop.example.com',
      __meta_kind: 'web',
      name: 'shop-shop',
      upper: 'SHOP-SHOP',
    });
  });

  it('maps, drops and keeps labels by name', () => {
    expect(relabel(LABELS, [{ action: 'labelmap', regex: '__meta_(.+)' }])).toEqual({
      ...LABELS,
      kind: 'web',
    });
    expect(relabel(LABELS, [{ action: 'labeldrop', regex: '__.*|nv' }])).toEqual({ env: 'prod' });
    expect(relabel(LABELS, [{ action: 'labelkeep', regex: 'en.' }])).toEqual({ env: 'prod' });
  });
});
