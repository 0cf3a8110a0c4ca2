/** Describes the planned change of one resource. */
import type { JsonObject } from '../../../base/object.ts';
import type { Section } from '../kinds.ts';
import type { ManifestEntry } from '../manifest.ts';
import type { FieldDifference } from '../state/compare.ts';
import type { ResourceId } from '../state/project-state.ts';

export type PlanAction = 'create' | 'update' | 'rename' | 'delete' | 'unchanged' | 'skipped';

/** A change of one resource. It contains secrets: `presentPlan` masks them. */
export interface Change {
  readonly action: PlanAction;
  readonly section: Section;
  readonly key: string;
  readonly name: string;
  /** Null: the resource does not exist yet. */
  readonly id: ResourceId | null;
  /** The present name of a resource that is renamed. */
  readonly previousName?: string;
  /** Whether the project takes over a resource that had no owner. */
  readonly adopts: boolean;
  readonly fields: readonly FieldDifference[];
  /** The resource as the deployment has it and as the files declare it, without defaults and hidden values. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  /** Undefined for a resource that is deleted. */
  readonly wanted: WantedResource | undefined;
}

/** What `apply` needs to create or update a resource. */
export interface WantedResource {
  readonly entry: ManifestEntry;
  /** The fields of the entry with hidden values. References are names. */
  readonly body: JsonObject;
  readonly remote: JsonObject | undefined;
  /** The present fields, without defaults and hidden values. */
  readonly current: JsonObject | undefined;
  /** The access settings of a status page to change. */
  readonly access: JsonObject | undefined;
  /** The number of hidden values that the files give. They are sent even if nothing else changes. */
  readonly secretCount: number;
  /** The keys of hidden values that are not available. */
  readonly missingValues: readonly string[];
}
