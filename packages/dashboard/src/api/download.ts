import { after } from '../lib/browser/clock.ts';
import { ApiError } from './client.ts';

/** How far a download is. */
export interface DownloadProgress {
  readonly bytes: number;
  /** Ends of lines so far. */
  readonly lines: number;
}

interface ErrorBody {
  readonly error?: { readonly code: string; readonly message: string; readonly request_id: string };
}

/** Counts CR LF in bytes that come in pieces. */
export class LineCounter {
  lines = 0;
  #afterReturn = false;

  add(piece: Uint8Array): void {
    for (const byte of piece) {
      if (byte === 10 && this.#afterReturn) this.lines += 1;
      this.#afterReturn = byte === 13;
    }
  }
}

/**
 * Reads a text file from the server piece by piece.
 * @param told hears of each piece
 * @throws ApiError where the server refuses, or the answer breaks off; what `signal` aborts throws as `fetch` does
 */
export async function download(
  address: string,
  told: (progress: DownloadProgress) => void,
  signal: AbortSignal,
): Promise<Blob> {
  const response = await fetch(address, { credentials: 'same-origin', signal });
  if (!response.ok || response.body === null) {
    const body = (await response.json().catch(() => ({}))) as ErrorBody;
    throw new ApiError(response.status, body.error ?? {});
  }
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  const counter = new LineCounter();
  let bytes = 0;
  try {
    for (const reader = response.body.getReader(); ; ) {
      const { done, value } = await reader.read();
      if (done) break;
      pieces.push(value);
      bytes += value.byteLength;
      counter.add(value);
      told({ bytes, lines: counter.lines });
    }
  } catch (error) {
    if (signal.aborted) throw error;
    throw new ApiError(0, { code: 'network_error', message: 'The file broke off on its way. Try again.' });
  }
  return new Blob(pieces, { type: response.headers.get('content-type') ?? 'text/plain' });
}

/** Hands a file to the downloads of the browser. */
export function saveFile(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // Some browsers still read it when the click is over.
  after(60_000, () => URL.revokeObjectURL(address));
}
