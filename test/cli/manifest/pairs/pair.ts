/** Pairs of manifests of one project: what the files declared before, and what they declare now. */
import fc from 'fast-check';
import type { JsonObject } from '../../../../src/base/object.ts';
import { formatName, kindOf, SECTIONS, type Section } from '../../../../src/cli/manifest/kinds.ts';
import type { Manifest, ManifestEntry } from '../../../../src/cli/manifest/manifest.ts';
import { Taint } from '../../../../src/cli/manifest/taint.ts';
import { BODIES, type Draft, type RefOf } from './bodies.ts';

/** One resource in the two manifests. */
interface Slot {
  readonly type: string;
  readonly before: Draft | undefined;
  readonly after: Draft | undefined;
  readonly isRenamed: boolean;
  /** Positions in a short list of names, so that entries exchange their names. */
  readonly names: readonly [number, number];
}

/** How the entries of a section are identified: by name, by key, or by a key that only the second manifest has. */
const IDENTITIES = ['name', 'key', 'new key'] as const;
type Identity = (typeof IDENTITIES)[number];

interface SectionPair {
  readonly identity: Identity;
  readonly slots: readonly Slot[];
}

type SectionPairs = Readonly<Partial<Record<Section, SectionPair>>>;

/** Sections whose names are unique on a deployment, or cannot change. */
const FIXED: Readonly<Partial<Record<Section, string>>> = {
  variables: 'key',
  privateLocations: 'slugName',
  statusPages: 'url',
  dashboards: 'customUrl',
};

/** Whether unique names of a section can change. */
const canPassOn = (section: string): boolean => section === 'statusPages' || section === 'dashboards';

/** More sections make a pair slow, and fewer have no references. */
const MAX_SECTIONS = 5;

const slotOf = (type: string, drafts: fc.Arbitrary<Draft>): fc.Arbitrary<Slot> =>
  fc
    .record({
      presence: fc.constantFrom('both', 'both', 'both', 'before', 'after'),
      first: drafts,
      second: drafts,
      isSame: fc.boolean(),
      isRenamed: fc.boolean(),
      names: fc.tuple(fc.nat(1), fc.nat(1)),
    })
    .map(({ presence, first, second, isSame, isRenamed, names }) => ({
      type,
      before: presence === 'after' ? undefined : first,
      after: presence === 'before' ? undefined : isSame ? first : second,
      isRenamed,
      names,
    }));

const SECTION_PAIRS = Object.fromEntries(
  Object.entries(BODIES).map(([section, types]) => [
    section,
    fc.record({
      identity: fc.constantFrom(...IDENTITIES),
      slots: fc.array(fc.oneof(...Object.entries(types).map(([type, drafts]) => slotOf(type, drafts))), {
        minLength: 1,
        maxLength: section in FIXED && !canPassOn(section) ? 1 : 2,
      }),
    }),
  ]),
);

/** A few sections, so that many pairs can be checked. */
const sectionPairs: fc.Arbitrary<SectionPairs> = fc
  .subarray(Object.keys(SECTION_PAIRS), { maxLength: MAX_SECTIONS })
  .chain((sections) =>
    fc.record(
      Object.fromEntries(Object.entries(SECTION_PAIRS).filter(([section]) => sections.includes(section))),
    ),
  );

interface Named {
  readonly section: Section;
  readonly slot: Slot;
  readonly draft: Draft;
  readonly name: string;
  readonly key: string | undefined;
  readonly renamedFrom: string | undefined;
}

/** Returns the position of the second name: the next one, if its holder passes it on or is deleted. */
function nextPosition({ slots }: SectionPair, index: number): number {
  const holder = slots[index + 1];
  const isFree = !holder?.after || holder.isRenamed;
  return slots[index]?.isRenamed && isFree ? index + 1 : index;
}

/** `mark`: what unique names contain, which belong to a deployment. */
function nameEntry(
  section: Section,
  pair: SectionPair,
  index: number,
  isAfter: boolean,
  mark: string,
): Named[] {
  const slot = pair.slots[index] as Slot;
  const draft = isAfter ? slot.after : slot.before;
  if (!draft) return [];
  const identity = section === 'variables' ? 'name' : pair.identity;
  const common = { section, slot, draft };
  if (section in FIXED) {
    const position = isAfter && canPassOn(section) && identity === 'key' ? nextPosition(pair, index) : index;
    // The key of a variable has no hyphen.
    const name = `${mark}${section === 'variables' ? '_' : '-'}${position}`;
    return [{ ...common, name, key: identity === 'key' ? `k${index}` : undefined, renamedFrom: undefined }];
  }
  if (identity === 'key') {
    const name = `n${slot.names[isAfter ? 1 : 0]}`;
    return [{ ...common, name, key: `k${index}`, renamedFrom: undefined }];
  }
  const before = `n${index}`;
  if (!isAfter) return [{ ...common, name: before, key: undefined, renamedFrom: undefined }];
  const key = identity === 'new key' ? `k${index}` : undefined;
  const name = slot.isRenamed ? `m${index}` : before;
  const renamedFrom = name !== before || (key !== undefined && slot.before) ? before : undefined;
  return [{ ...common, name, key, renamedFrom }];
}

function bodyOf({ section, slot, draft, name }: Named, ref: RefOf): JsonObject {
  const body = draft(ref);
  const fixed = FIXED[section];
  if (fixed !== undefined) return { ...body, [fixed]: name };
  if (section === 'alertChannels')
    return { type: slot.type, ...body, config: { ...(body.config as JsonObject), name } };
  return { name, ...(section === 'checks' ? { checkType: slot.type } : {}), ...body };
}

function toManifest(pairs: SectionPairs, isAfter: boolean, { project, mark }: PairNames): Manifest {
  const named = SECTIONS.flatMap((section) => {
    const pair = pairs[section];
    return (pair?.slots ?? []).flatMap((_, index) =>
      nameEntry(section, pair as SectionPair, index, isAfter, mark),
    );
  });
  const refFrom =
    (from: Named): RefOf =>
    (section, position) => {
      // A check depends on checks before it, so that none depends on itself.
      const known = section === 'checks' ? named.slice(0, named.indexOf(from)) : named;
      const all = known.filter((each) => each.section === section);
      const one = all[position % Math.max(1, all.length)];
      // Checks have the slugs of private locations.
      return section === 'privateLocations' ? one?.name : (one?.key ?? one?.name);
    };
  const toEntry = (each: Named): ManifestEntry => {
    const body = bodyOf(each, refFrom(each));
    const { section, key, renamedFrom } = each;
    const name = formatName(kindOf(section), body);
    return {
      section,
      key: key ?? name,
      hasOwnKey: key !== undefined,
      name,
      ...(renamedFrom === undefined ? {} : { renamedFrom }),
      body,
      written: body,
      formatLocation: (path) => `${section} ${key ?? name}: ${path.join('.')}`,
    };
  };
  const taint = new Taint();
  for (const secret of SECRETS) taint.addValue(secret);
  return { project, entries: named.map(toEntry), secrets: SECRETS, taint };
}

const SECRETS = ['one', 'two', 'three', 'four'].map((name) => `hidden-value-${name}`);

export interface PairNames {
  readonly project: string;
  readonly mark: string;
}

/** Two manifests of a project, and one of another project with the same names where the API allows it. */
export interface Pair {
  readonly before: Manifest;
  readonly after: Manifest;
  readonly other: Manifest;
}

/** Draws pairs as functions of the names that must be unique on a deployment. */
export const pairs: fc.Arbitrary<(mark: string) => Pair> = sectionPairs.map((drawn) => (mark) => {
  const shared = Object.fromEntries(Object.entries(drawn).filter(([section]) => !(section in FIXED)));
  return {
    before: toManifest(drawn, false, { project: 'shop', mark }),
    after: toManifest(drawn, true, { project: 'shop', mark }),
    other: toManifest(shared, false, { project: 'blog', mark }),
  };
});
