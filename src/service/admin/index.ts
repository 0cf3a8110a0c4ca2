/** Exports the owner's local administration: keys and backups. */
export {
  type Administration,
  type CreatedKey,
  createAdministration,
  type KeyInfo,
} from './administration.ts';
export { type BackupContents, inspectBackup, restoreBackup, writeBackup } from './backups.ts';
