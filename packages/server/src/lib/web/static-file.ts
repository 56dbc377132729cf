/** A file that is served from memory. */
export interface StaticFile {
  readonly contentType: string;
  readonly etag: string;
  readonly plain: Buffer;
  /** Undefined if compression does not make the file smaller. */
  readonly brotli: Buffer | undefined;
  readonly gzip: Buffer | undefined;
}

/** The smallest form of a file that the client accepts, with the name of its encoding. */
export function encoded(
  file: StaticFile,
  accepted: string | undefined,
): { readonly body: Buffer; readonly encoding: 'br' | 'gzip' | null } {
  const takes = acceptedEncodings(accepted);
  if (file.brotli !== undefined && takes('br')) return { body: file.brotli, encoding: 'br' };
  if (file.gzip !== undefined && takes('gzip')) return { body: file.gzip, encoding: 'gzip' };
  return { body: file.plain, encoding: null };
}

/** Parses `Accept-Encoding` (RFC 9110, 12.5.3): names with weights; weight 0 excludes an encoding. */
export function acceptedEncodings(header = ''): (name: string) => boolean {
  const weights = new Map(
    header.split(',').map((part) => {
      const [name = '', ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return [name, weight === undefined ? 1 : Number(weight)] as const;
    }),
  );
  return (name) => (weights.get(name) ?? weights.get('*') ?? 0) > 0;
}
