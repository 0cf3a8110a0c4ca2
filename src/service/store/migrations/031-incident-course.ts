/** Adds the course of incidents: their severities and services over time. The course of an existing incident begins with its present values. */
import type { Kysely } from 'kysely';
import { recordCourse } from '../incident-course.ts';
import { addColumns, type Migration } from './migrate.ts';

export const incidentCourse: Migration = {
  name: '031-incident-course',
  async up(db, columns) {
    await addColumns(db, columns, 'incidents', { course: 'text' });
    const rows = db as Kysely<{ incidents: { id: string; body: string; course: string | null } }>;
    for (const { id, body } of await rows.selectFrom('incidents').select(['id', 'body']).execute())
      await rows
        .updateTable('incidents')
        .set({ course: JSON.stringify(recordCourse([], JSON.parse(body), 0)) })
        .where('id', '=', id)
        .execute();
  },
};
