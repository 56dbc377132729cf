const maxLength = 255;

/** The last part of a path that a client sent, without control characters and quotes, which a program might interpret. */
export function plainFileName(name: string): string {
  const base = name.toWellFormed().split(/[/\\]/).at(-1) ?? '';
  const plain = base.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}"]+/gu, ' ').trim();
  return Array.from(plain).slice(0, maxLength).join('') || 'file';
}
