import { invalidParam } from '@till/contract';
import { rewriteJpeg } from './logo-jpeg.ts';
import { pngStart, rewritePng } from './logo-png.ts';
import { BadPicture, type Picture } from './picture.ts';

/** Bytes of a logo as it is kept and sent, and of the file that may be uploaded for it. */
const maxBytes = 102_400;
const maxUploaded = 2_000_000;

/**
 * Reads an uploaded PNG or JPEG file and writes it anew with nothing but its picture: no metadata, no comment, nothing
 * behind its end. What does not parse to the last byte of the picture is refused.
 * @throws ApiError `invalid_params` / `logo`
 */
export function readLogoFile(file: Uint8Array): Picture {
  const input = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const refuse = (message: string) => invalidParam('logo', `logo ${message}`);
  if (input.length > maxUploaded) throw refuse('must be a file of at most 2 MB.');
  const isPng = input.subarray(0, pngStart.length).equals(pngStart);
  const isJpeg = input[0] === 0xff && input[1] === 0xd8;
  if (!isPng && !isJpeg) throw refuse('must be a PNG or JPEG file.');
  let logo: Picture;
  try {
    logo = isPng ? rewritePng(input) : rewriteJpeg(input);
  } catch (error) {
    if (!(error instanceof BadPicture)) throw error;
    throw refuse(`cannot be read: ${error.message}.`);
  }
  if (logo.bytes.length > maxBytes) {
    throw refuse('takes more than 100 kB: use a smaller picture, about 400 pixels wide.');
  }
  return logo;
}
