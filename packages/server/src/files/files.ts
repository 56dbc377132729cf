import { createHash } from 'node:crypto';
import { ApiError, invalidParam, type StoredFile } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type Clock, unixSeconds } from '../lib/clock.ts';
import { idsFrom, newId, type RandomBytes } from '../lib/ids.ts';
import { plainFileName } from '../lib/text/file-name.ts';
import type { Tenant } from '../store/tenant.ts';
import type { FileRow, FileStore, FileTotals } from './store.ts';
import type { UploadQueue } from './upload-queue.ts';

const signatures: readonly (readonly [StoredFile['content_type'], readonly number[]])[] = [
  ['application/pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['image/jpeg', [0xff, 0xd8, 0xff]],
  ['image/png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
];

/** The content type by a file's first bytes, regardless of its name and declared type; undefined for types we do not accept. */
function sniffContentType(content: Uint8Array): StoredFile['content_type'] | undefined {
  return signatures.find(([, bytes]) => bytes.every((byte, index) => content[index] === byte))?.[0];
}

export interface FileDependencies {
  readonly store: FileStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
  readonly uploads: UploadQueue;
}

/** The limits per account and mode (decisions, "Limits and refusals"). */
const maxFiles = 1000;
const maxBytes = 1_000_000_000;
/** The number of days, in real time, after which a file that no dispute uses can no longer be used. */
const unusedDays = 7;
const dayMs = 86_400_000;
/** Such a file is deleted this much later, when any request that still found it usable has long ended. */
const graceMs = 3_600_000;

/** The lower bound of the ids of files that can still be used although no dispute uses them yet. @param now real time */
export const usableSince = (now: Date): string =>
  idsFrom('file', new Date(now.getTime() - unusedDays * dayMs));

/** Deletes files that no dispute used in time, in rounds over all accounts with a few files each. */
export async function removeUnusedFiles({
  store,
  clock,
}: Pick<FileDependencies, 'store' | 'clock'>): Promise<void> {
  const before = usableSince(new Date(clock.now().getTime() - graceMs));
  while ((await store.removeUnused(before)) > 0);
}

/** @throws ApiError `invalid_params` that names the limits */
function requireCapacity({ count, bytes }: FileTotals, size: number): void {
  if (count < maxFiles && bytes + size <= maxBytes) return;
  throw invalidParam(
    'file',
    `file is refused: an account keeps at most ${maxFiles} files of ${maxBytes / 1e9} GB in all in each mode. Files that no dispute uses are deleted after ${unusedDays} days.`,
  );
}

/**
 * Stores an uploaded file (decisions, "Disputes"). Its first bytes determine its content type.
 * @throws ApiError `invalid_params` for an empty file, one that is no PDF, JPEG or PNG, or one above the account's limits;
 *   `service_unavailable` if too many files are being uploaded
 */
export async function createFile(
  deps: FileDependencies,
  context: AccountContext,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
): Promise<FileRow> {
  const contentType = sniffContentType(content);
  if (contentType === undefined) throw invalidParam('file', 'file must be a PDF, JPEG or PNG.');
  const file: FileRow = {
    tenant: context.tenant,
    id: newId('file', deps.clock.now(), deps.randomBytes),
    name: plainFileName(name),
    content_type: contentType,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    created_at: context.now,
  };
  await deps.uploads.run(context, () =>
    deps.store.insert(context, file, content, (kept) => requireCapacity(kept, file.size)),
  );
  return file;
}

/** @throws ApiError `not_found`, also for another merchant's or the other mode's file */
export async function retrieveFile(
  deps: FileDependencies,
  context: AccountContext,
  id: string,
): Promise<FileRow> {
  const [file] = /^file_[a-z0-9]{24}$/.test(id) ? await deps.store.find(context, [id]) : [];
  if (file === undefined) throw new ApiError('not_found', 'There is no file with this id.');
  return file;
}

/** A file in the format of the API. */
export function presentFile(file: FileRow, { livemode }: Pick<Tenant, 'livemode'>): StoredFile {
  const { id, name, content_type, size, sha256, created_at } = file;
  return { id, object: 'file', name, content_type, size, sha256, livemode, created: unixSeconds(created_at) };
}
