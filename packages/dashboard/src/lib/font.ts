import inter from '@fontsource-variable/inter/files/inter-latin-wght-normal.woff2?url';

/** Loads the typeface from this server; until it is there, and for other scripts, the system's is used. */
export function loadFont(): void {
  const face = new FontFace('Inter', `url(${inter}) format('woff2')`, { weight: '100 900', display: 'swap' });
  document.fonts.add(face);
  // Without it the page is readable all the same.
  face.load().catch(() => document.fonts.delete(face));
}
