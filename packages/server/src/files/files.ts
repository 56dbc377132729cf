import { createHash } from 'node:crypto';
import { ApiError, invalidParam, type StoredFile } from '@till/contract';
import type { AccountContext } from '../accounts/context.ts';
import { type Clock, unixSeconds } from '../lib/clock.ts';
import { newId, type RandomBytes } from '../lib/ids.ts';
import { sniffContentType } from './content-type.ts';
import type { FileRow, FileStore } from './store.ts';

export interface FileParts {
  readonly store: FileStore;
  readonly clock: Pick<Clock, 'now'>;
  readonly randomBytes: RandomBytes;
}

const longestName = 255;

/** The last part of a path, without characters that would say something to a program. */
function plainName(name: string): string {
  const base = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = base.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]+/gu, ' ').trim();
  return Array.from(plain).slice(0, longestName).join('') || 'file';
}

/**
 * Keeps an uploaded file (decisions, "Disputes"). What it is, its first bytes say.
 * @throws ApiError `invalid_params` for an empty file or one that is no PDF, JPEG or PNG
 */
export async function createFile(
  parts: FileParts,
  context: AccountContext,
  { name, content }: { readonly name: string; readonly content: Uint8Array },
): Promise<FileRow> {
  const contentType = sniffContentType(content);
  if (contentType === undefined) throw invalidParam('file', 'file must be a PDF, JPEG or PNG.');
  const file: FileRow = {
    account_id: context.accountId,
    livemode: context.livemode,
    id: newId('file', parts.clock.now(), parts.randomBytes),
    name: plainName(name),
    content_type: contentType,
    size: content.length,
    sha256: createHash('sha256').update(content).digest('hex'),
    created_at: context.now,
  };
  await parts.store.insert(file, content);
  return file;
}

/** @throws ApiError `not_found`, also for another merchant's or the other mode's file */
export async function retrieveFile(parts: FileParts, context: AccountContext, id: string): Promise<FileRow> {
  const [file] = /^file_[a-z0-9]{24}$/.test(id) ? await parts.store.find(context, [id]) : [];
  if (file === undefined) throw new ApiError('not_found', 'There is no file with this id.');
  return file;
}

/** A file as the API shows it. */
export function presentFile(file: FileRow): StoredFile {
  const { id, name, content_type, size, sha256, livemode, created_at } = file;
  return { id, object: 'file', name, content_type, size, sha256, livemode, created: unixSeconds(created_at) };
}
