import { after } from '../lib/browser/clock.ts';
import { ApiError } from './client.ts';

/** Progress of a download. */
export interface DownloadProgress {
  readonly bytes: number;
  /** The number of line ends received so far. */
  readonly lines: number;
}

interface ErrorBody {
  readonly error?: { readonly code: string; readonly message: string; readonly request_id: string };
}

/** Counts CR LF sequences, including those split between two chunks. */
export class LineCounter {
  lines = 0;
  #afterReturn = false;

  add(chunk: Uint8Array): void {
    for (const byte of chunk) {
      if (byte === 10 && this.#afterReturn) this.lines += 1;
      this.#afterReturn = byte === 13;
    }
  }
}

/** The file name that the server suggests (RFC 6266); undefined if it suggests none. */
export function fileName(disposition: string | null): string | undefined {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1];
  return encoded === undefined ? undefined : decodeURIComponent(encoded);
}

/**
 * Downloads a text file as a stream, under the name that the server suggests.
 * @param onProgress called after each chunk
 * @throws ApiError for an error response or a broken stream; an AbortError if `signal` aborts the download
 */
export async function download(
  address: string,
  onProgress: (progress: DownloadProgress) => void,
  signal: AbortSignal,
): Promise<File> {
  const response = await fetch(address, { credentials: 'same-origin', signal });
  if (!response.ok || response.body === null) {
    const body = (await response.json().catch(() => ({}))) as ErrorBody;
    throw new ApiError(response.status, body.error ?? {});
  }
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  const counter = new LineCounter();
  let bytes = 0;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
      counter.add(value);
      onProgress({ bytes, lines: counter.lines });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, { code: 'network_error', message: 'The file broke off on its way. Try again.' });
  }
  const name = fileName(response.headers.get('content-disposition')) ?? 'export.csv';
  return new File(chunks, name, { type: response.headers.get('content-type') ?? 'text/plain' });
}

/** Saves a file through the browser's downloads. */
export function saveFile(file: File): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = file.name;
  link.click();
  // Some browsers read the object URL after the click has returned.
  after(60_000, () => URL.revokeObjectURL(address));
}
