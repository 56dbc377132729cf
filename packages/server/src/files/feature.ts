import type { Database } from '../store/database.ts';
import type { FileDependencies } from './files.ts';
import { FileStore } from './store.ts';
import { UploadTurns } from './upload-turns.ts';

/** What the operations on files need. */
export const createFiles = ({
  db,
  ...deps
}: Omit<FileDependencies, 'store' | 'turns'> & { readonly db: Database }): FileDependencies => ({
  ...deps,
  store: new FileStore(db),
  turns: new UploadTurns(),
});
