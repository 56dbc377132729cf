/** A picture whose file we have written ourselves. */
export interface Picture {
  readonly contentType: 'image/png' | 'image/jpeg';
  readonly bytes: Buffer;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** The file is not a valid picture of its type; the message is for the person who uploaded it. */
export class BadPicture extends Error {}

/** The picture is valid, but its rewritten file takes more than `maxBytes`. */
export class LargePicture extends Error {}

/** The maximum size in bytes of a rewritten file. */
export const maxBytes = 102_400;

/** The maximum length of a side in pixels. */
export const maxSide = 2_000;

/** @throws BadPicture if the picture has no area, or is larger than a logo needs */
export function checkSize(width: number, height: number): void {
  if (width < 1 || height < 1) throw new BadPicture('it has no size');
  if (width > maxSide || height > maxSide) {
    throw new BadPicture(`it has more than ${maxSide} pixels on one side`);
  }
}
