import { createHash } from 'node:crypto';
import type { EvidenceFile } from '../../port/disputes.ts';
import type { Payload } from '../wire/client.ts';

/** One file of a form, with the name that the form's JSON part refers to. */
export interface FormFile {
  readonly name: string;
  readonly file: EvidenceFile;
}

/**
 * Builds a form of one JSON part, `input`, and files that share one field name (RFC 7578). The boundary is derived from the
 * content, so that the same form always has the same bytes and no part can contain the boundary by chance.
 */
export function multipartForm(input: object, fileField: string, files: readonly FormFile[]): Payload {
  const parts = [
    part('name="input"', 'application/json', Buffer.from(JSON.stringify(input))),
    ...files.map(({ name, file }) =>
      part(`name="${fileField}"; filename="${name}"`, file.contentType, file.content),
    ),
  ];
  const digest = createHash('sha256');
  for (const one of parts) {
    digest.update(one);
  }
  const boundary = `form-${digest.digest('hex').slice(0, 32)}`;
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    content: Buffer.concat([
      ...parts.flatMap((one) => [Buffer.from(`--${boundary}\r\n`), one, Buffer.from('\r\n')]),
      Buffer.from(`--${boundary}--\r\n`),
    ]),
  };
}

const part = (disposition: string, contentType: string, content: Uint8Array): Buffer =>
  Buffer.concat([
    Buffer.from(`Content-Disposition: form-data; ${disposition}\r\nContent-Type: ${contentType}\r\n\r\n`),
    content,
  ]);
