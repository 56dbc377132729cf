import type { Database } from '../store/database.ts';
import type { FileDependencies } from './files.ts';
import { FileStore } from './store.ts';
import { UploadQueue } from './upload-queue.ts';

/** Creates the dependencies of the operations on files. */
export const createFiles = ({
  db,
  ...deps
}: Omit<FileDependencies, 'store' | 'uploads'> & { readonly db: Database }): FileDependencies => ({
  ...deps,
  store: new FileStore(db),
  uploads: new UploadQueue(),
});
