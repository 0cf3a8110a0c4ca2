/** Adds updates to incidents. */
import { ApiError, mayLackEndpoint } from '../../base/errors.ts';
import type { JsonObject } from '../../base/object.ts';
import type { Client } from '../../client/index.ts';
import {
  type BodyOf,
  createIncidentUpdate,
  getIncident,
  type Input,
  updateIncident,
} from '../../contract/index.ts';
import type { Incident } from './incidents.ts';

type Update = NonNullable<BodyOf<typeof updateIncident>['incidentUpdates']>[number];

interface IncidentChange {
  readonly id: string;
  /** The changed fields, and the updates to add. */
  readonly change: JsonObject;
  /** All fields, if they are known. */
  readonly whole: JsonObject;
}

/** Changes the fields of an incident and adds updates. Returns the incident. Rejects as the client does. */
export async function changeIncident(
  api: Client,
  { id, change, whole }: IncidentChange,
  signal: AbortSignal,
): Promise<Incident> {
  const { incidentUpdates = [], ...changed } = change;
  const { incidentUpdates: _, ...body } = whole;
  const input = { params: { id }, body } as Input<typeof updateIncident>;
  if (Object.keys(changed).length > 0) await api.call(updateIncident, input, { signal });
  for (const update of incidentUpdates as readonly Update[]) await addUpdate(api, id, update, signal);
  return (await api.call(getIncident, { params: { id } }, { signal })).body;
}

/** Adds an update and returns the incident. Rejects as the client does. */
export const addIncidentUpdate = (
  api: Client,
  id: string,
  update: Update,
  signal: AbortSignal,
): Promise<Incident> => changeIncident(api, { id, change: { incidentUpdates: [update] }, whole: {} }, signal);

/** Deployments without the endpoint for updates may accept them as part of the incident, and say so in their answer. */
async function addUpdate(api: Client, id: string, update: Update, signal: AbortSignal): Promise<void> {
  try {
    await api.call(createIncidentUpdate, { params: { id }, body: update }, { signal });
  } catch (error) {
    if (!mayLackEndpoint(error)) throw error;
    const input: Input<typeof updateIncident> = { params: { id }, body: { incidentUpdates: [update] } };
    const { body } = await api.call(updateIncident, input, { signal });
    const isAdded = body.incidentUpdates?.some(({ description }) => description === update.description);
    if (!isAdded) throw new ApiError(`the incident has no new update: ${error.message}`, error);
  }
}
