import { invalidParam } from '@till/contract';
import { rewriteJpeg } from './logo-jpeg.ts';
import { pngStart, rewritePng } from './logo-png.ts';
import { BadPicture, LargePicture, maxBytes, type Picture } from './picture.ts';

/** The maximum size in bytes of an uploaded file. */
const maxUploaded = 2_000_000;

/**
 * Parses an uploaded PNG or JPEG file and rewrites it with only its image data: no metadata, no comments, nothing after its
 * end. A file that does not parse up to the last byte of the image is refused.
 * @throws ApiError `invalid_params` / `logo`
 */
export async function readLogoFile(file: Uint8Array): Promise<Picture> {
  const input = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const refuse = (message: string) => invalidParam('logo', `logo ${message}`);
  if (input.length > maxUploaded) throw refuse('must be a file of at most 2 MB.');
  const isPng = input.subarray(0, pngStart.length).equals(pngStart);
  const isJpeg = input[0] === 0xff && input[1] === 0xd8;
  if (!isPng && !isJpeg) throw refuse('must be a PNG or JPEG file.');
  try {
    const logo = isPng ? await rewritePng(input) : rewriteJpeg(input);
    if (logo.bytes.length > maxBytes) throw new LargePicture();
    return logo;
  } catch (error) {
    if (error instanceof BadPicture) throw refuse(`cannot be read: ${error.message}.`);
    if (!(error instanceof LargePicture)) throw error;
    throw refuse('takes more than 100 kB: use a smaller picture, about 400 pixels wide.');
  }
}
