/** A picture of which we wrote every byte. */
export interface Picture {
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The file is not the picture that it says it is; the message is for the person who uploads it. */
export class BadPicture extends Error {}

/** Pixels of one side. */
const longestSide = 2_000;

/** @throws BadPicture where the picture has no area or more than a logo needs */
export function checkSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new BadPicture('it has no size');
  if (width > longestSide || height > longestSide) {
    throw new BadPicture(`it has more than ${longestSide} pixels on one side`);
  }
}
