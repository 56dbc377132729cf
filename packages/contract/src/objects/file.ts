import { type Static, Type } from 'typebox';
import { UnixSeconds } from '../primitives/common.ts';

export const fileTypes = ['application/pdf', 'image/jpeg', 'image/png'] as const;

/** The greatest file that is taken (decisions, "Disputes"). */
export const fileBytesMax = 5 * 1024 * 1024;

/** An uploaded file without its content, which is only ever sent on as evidence. */
export const StoredFile = Type.Object(
  {
    id: Type.String({ pattern: '^file_[a-z0-9]{24}$' }),
    object: Type.Literal('file'),
    name: Type.String(),
    content_type: Type.Enum([...fileTypes]),
    size: Type.Integer({ description: 'Bytes.' }),
    sha256: Type.String({ description: 'Of the content, in hex.' }),
    livemode: Type.Boolean(),
    created: UnixSeconds,
  },
  { $id: 'File' },
);
export type StoredFile = Static<typeof StoredFile>;
