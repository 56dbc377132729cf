import { type Static, Type } from 'typebox';
import { IdOf, LiveMode, ObjectName, UnixSeconds } from '../primitives/common.ts';

export const fileTypes = ['application/pdf', 'image/jpeg', 'image/png'] as const;

/** The maximum file size (decisions, "Disputes"). */
export const fileBytesMax = 5 * 1024 * 1024;

/** An uploaded file without its content, which is only ever sent to the processor as evidence. */
export const StoredFile = Type.Object(
  {
    id: IdOf('file'),
    object: ObjectName('file'),
    name: Type.String({ description: 'As you sent it, without folders.' }),
    content_type: Type.Enum([...fileTypes], { description: 'As its first bytes say.' }),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String({ description: 'Of the content, in hex.' }),
    livemode: LiveMode,
    created: UnixSeconds,
  },
  { $id: 'File' },
);
export type StoredFile = Static<typeof StoredFile>;
